//! The scenarios. Their names and their work are those of the Go side.

use crate::{
    game::Game,
    harness::{Measured, Traffic, Work, measure},
    values::{Block, Number, Scalar, Value},
};

const ENTITIES: usize = 1_000;
const OTHERS: usize = 10_000;
const VIEW_SIZE: usize = 500;
const VIEW_STEP: usize = 48; // between the first entities of two clients' views
const SLIDE_STEP: usize = VIEW_SIZE / 50;

/// A scenario that can be measured.
pub struct Scenario {
    pub name: &'static str,
    make: Box<dyn Fn() -> Box<dyn Work>>,
    rounds: usize,
}

impl Scenario {
    pub fn measure(&self) -> Result<Measured, String> {
        measure(
            self.name,
            self.make.as_ref()().as_mut(),
            self.rounds,
            self.rounds / 3,
        )
    }
}

/// What happens in an operation.
#[derive(Clone, Copy)]
enum Act {
    Nothing,
    Change,         // of all entities
    Join,           // of all clients
    Spawn(usize),   // of so many entities
    Despawn(usize), // of so many entities
    Slide(usize),   // views slide, and one of so many entities changes; 0: none changes
}

/// The side of which a frame is measured.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Server,
    Client,
}

use Act::*;
use Side::*;

pub fn all() -> Vec<Scenario> {
    vec![
        new::<Scalar>("change/f32-1", ENTITIES, 1, Change, Server),
        new::<Scalar>("change/f32-20", ENTITIES, 20, Change, Server),
        new::<Scalar>("change/f32-100", ENTITIES, 100, Change, Server),
        new::<Scalar>("change/f32-client", ENTITIES, 1, Change, Client),
        new::<Number>("change/u64-1", ENTITIES, 1, Change, Server),
        new::<Number>("change/u64-20", ENTITIES, 20, Change, Server),
        new::<Number>("change/u64-client", ENTITIES, 1, Change, Client),
        new::<Block>("large/1", ENTITIES, 1, Change, Server),
        new::<Block>("large/20", ENTITIES, 20, Change, Server),
        new::<Block>("large/client", ENTITIES, 1, Change, Client),
        new::<Number>("spawn/new-1000-1", 1_000, 1, Join, Server),
        new::<Number>("spawn/new-1000-20", 1_000, 20, Join, Server),
        new::<Number>("spawn/new-1000-client", 1_000, 1, Join, Client),
        new::<Number>("spawn/new-10000-1", 10_000, 1, Join, Server),
        new::<Number>("spawn/new-10000-20", 10_000, 20, Join, Server),
        new::<Number>("spawn/new-10000-client", 10_000, 1, Join, Client),
        new::<Number>("spawn/run-1000-1", OTHERS, 1, Spawn(1_000), Server),
        new::<Number>("spawn/run-1000-20", OTHERS, 20, Spawn(1_000), Server),
        new::<Number>("spawn/run-1000-client", OTHERS, 1, Spawn(1_000), Client),
        new::<Number>("despawn/1000-1", OTHERS, 1, Despawn(1_000), Server),
        new::<Number>("despawn/1000-20", OTHERS, 20, Despawn(1_000), Server),
        new::<Number>("despawn/1000-client", OTHERS, 1, Despawn(1_000), Client),
        new::<Number>("spawn/new-1000-100", 1_000, 100, Join, Server),
        new::<Number>("spawn/run-1000-100", OTHERS, 100, Spawn(1_000), Server),
        new::<Number>("despawn/1000-100", OTHERS, 100, Despawn(1_000), Server),
        new::<Number>("still/10000-1", OTHERS, 1, Nothing, Server),
        new::<Number>("still/10000-20", OTHERS, 20, Nothing, Server),
        new::<Number>("views/still-20", OTHERS, 20, Slide(0), Server),
        new::<Number>("views/still-200", OTHERS, 200, Slide(0), Server),
        new::<Number>("views/moving-200", OTHERS, 200, Slide(10), Server),
    ]
}

fn new<V: Value>(
    name: &'static str,
    entities: usize,
    clients: usize,
    act: Act,
    side: Side,
) -> Scenario {
    Scenario {
        name,
        make: Box::new(move || Box::new(Case::<V>::new(entities, clients, act, side))),
        rounds: match entities * clients {
            0..=10_000 => 100,
            10_001..=200_000 => 40,
            _ => 15,
        },
    }
}

struct Case<V> {
    game: Game<V>,
    act: Act,
    side: Side,
    entities: usize,
    round: usize,
    traffic: Traffic, // of the server's frame before a client's
}

impl<V: Value> Case<V> {
    fn new(entities: usize, clients: usize, act: Act, side: Side) -> Self {
        let mut game = Game::new(clients);
        game.spawn(entities);
        let mut case = Self {
            game,
            act,
            side,
            entities,
            round: 0,
            traffic: Traffic::default(),
        };
        if let Slide(_) = act {
            case.show_views();
        }
        case.game.settle();
        case
    }

    /// The first entity of a client's view.
    fn first(&self, client: usize) -> usize {
        (client * VIEW_STEP + self.round * SLIDE_STEP) % self.entities
    }

    fn sees(&self, client: usize, entity: usize) -> bool {
        !matches!(self.act, Slide(_))
            || (entity + self.entities - self.first(client)) % self.entities < VIEW_SIZE
    }

    fn show_views(&mut self) {
        for client in 0..self.game.client_count() {
            for entity in 0..self.entities {
                self.game
                    .set_visible(client, entity, self.sees(client, entity));
            }
        }
    }

    fn slide_views(&mut self) {
        for client in 0..self.game.client_count() {
            let first = self.first(client);
            for i in first..first + SLIDE_STEP {
                self.game.set_visible(client, i % self.entities, false);
                self.game
                    .set_visible(client, (i + VIEW_SIZE) % self.entities, true);
            }
        }
    }

    /// Gives one of every so many entities another value.
    fn change(&mut self, every: usize) {
        for i in (self.round % every..self.entities).step_by(every) {
            self.game.write(i, i + 7 * (1 + self.round / every));
        }
    }
}

impl<V: Value> Work for Case<V> {
    fn before(&mut self) {
        match self.act {
            Nothing => {}
            Change => self.change(1),
            Join => self.game.reconnect(),
            Spawn(n) => {
                if self.game.alive.len() > self.entities {
                    self.game.despawn(n);
                    self.game.settle();
                }
                self.game.spawn(n);
            }
            Despawn(n) => {
                self.game.spawn(n);
                self.game.settle();
                self.game.despawn(n);
            }
            Slide(every) => {
                self.slide_views();
                if every > 0 {
                    self.change(every);
                }
            }
        }
        self.round += 1;
        if self.side == Client {
            self.game.server_frame();
            self.traffic = self.game.deliver();
        }
    }

    fn run(&mut self) {
        match self.side {
            Server => self.game.server_frame(),
            Client => self.game.client_frame(0),
        }
    }

    fn after(&mut self) -> Traffic {
        if self.side == Server {
            self.traffic = self.game.deliver();
            for client in 0..self.game.client_count() {
                self.game.client_frame(client);
            }
        }
        self.game.answer();
        self.traffic
    }

    fn verify(&mut self) -> Result<(), String> {
        for client in 0..self.game.client_count() {
            let want = self.game.expected(|entity| self.sees(client, entity));
            if self.game.received(client) != want {
                return Err(format!(
                    "client {client} does not have the {} values of the server",
                    want.len()
                ));
            }
        }
        Ok(())
    }
}
