//! A server and its clients in one process, without packets.

use std::{collections::HashMap, marker::PhantomData};

use bevy::{prelude::*, state::app::StatesPlugin};
use bevy_replicon::{
    client::message::ClientMessagePlugin,
    prelude::*,
    server::{
        message::ServerMessagePlugin,
        visibility::{
            client_visibility::ClientVisibility, filters_mask::FilterBit, registry::FilterRegistry,
        },
    },
    shared::replication::registry::ReplicationRegistry,
};

use crate::{harness::Traffic, values::Value};

/// The largest unreliable message, as in the example backend and in bevy_replicon's own benchmark.
const MAX_MESSAGE: usize = 1200;

pub struct Game<V> {
    server: App,
    clients: Vec<Client>,
    by_entity: HashMap<Entity, usize>,
    pub alive: Vec<Entity>,
    hides: FilterBit,
    value: PhantomData<V>,
}

struct Client {
    app: App,
    entity: Entity, // of the server's world
}

impl<V: Value> Game<V> {
    /// A server with clients that have received all there is, which is nothing.
    pub fn new(clients: usize) -> Self {
        let mut server = new_app::<V>(
            RepliconPlugins
                .build()
                .disable::<ClientPlugin>()
                .disable::<ClientMessagePlugin>()
                .set(ServerPlugin::new(PostUpdate)),
        );
        server
            .world_mut()
            .resource_mut::<NextState<ServerState>>()
            .set(ServerState::Running);
        let hides = server
            .world_mut()
            .resource_scope(|world, mut filters: Mut<FilterRegistry>| {
                world.resource_scope(|world, mut registry: Mut<ReplicationRegistry>| {
                    filters.register_scope::<Entity>(
                        world,
                        &mut registry,
                        ScopeLifetime::WhileVisible,
                    )
                })
            });
        server.update();
        let mut game = Self {
            server,
            clients: Vec::new(),
            by_entity: HashMap::new(),
            alive: Vec::new(),
            hides,
            value: PhantomData,
        };
        game.connect(clients);
        game.settle();
        game
    }

    /// Connects new clients, whose first messages are on the way to the server.
    fn connect(&mut self, clients: usize) {
        for _ in 0..clients {
            let entity = self
                .server
                .world_mut()
                .spawn(ConnectedClient {
                    max_size: MAX_MESSAGE,
                })
                .id();
            let mut app = new_app::<V>(
                RepliconPlugins
                    .build()
                    .disable::<ServerPlugin>()
                    .disable::<ServerMessagePlugin>(),
            );
            app.world_mut()
                .resource_mut::<NextState<ClientState>>()
                .set(ClientState::Connected);
            app.update();
            self.by_entity.insert(entity, self.clients.len());
            self.clients.push(Client { app, entity });
        }
        self.answer();
    }

    /// Replaces all clients by new ones, whose first messages are on the way to the server.
    pub fn reconnect(&mut self) {
        let clients = self.clients.len();
        for client in self.clients.drain(..) {
            self.server.world_mut().despawn(client.entity);
        }
        self.by_entity.clear();
        self.server.update();
        self.connect(clients);
    }

    pub fn spawn(&mut self, n: usize) {
        let from = self.alive.len();
        let batch = (from..from + n).map(|i| (Replicated, V::of(i)));
        self.alive
            .extend(self.server.world_mut().spawn_batch(batch));
    }

    /// Despawns the last entities.
    pub fn despawn(&mut self, n: usize) {
        for entity in self.alive.drain(self.alive.len() - n..) {
            self.server.world_mut().despawn(entity);
        }
    }

    /// Gives an entity the component of number n.
    pub fn write(&mut self, entity: usize, n: usize) {
        *self
            .server
            .world_mut()
            .get_mut::<V>(self.alive[entity])
            .unwrap() = V::of(n);
    }

    /// Decides whether a client sees an entity.
    pub fn set_visible(&mut self, client: usize, entity: usize, visible: bool) {
        self.server
            .world_mut()
            .get_mut::<ClientVisibility>(self.clients[client].entity)
            .unwrap()
            .set(self.alive[entity], self.hides, visible);
    }

    pub fn client_count(&self) -> usize {
        self.clients.len()
    }

    pub fn server_frame(&mut self) {
        self.server.update();
    }

    pub fn client_frame(&mut self, client: usize) {
        self.clients[client].app.update();
    }

    /// Hands the server's messages to the clients.
    pub fn deliver(&mut self) -> Traffic {
        let mut traffic = Traffic::default();
        let mut sent = self.server.world_mut().resource_mut::<ServerMessages>();
        for (to, channel, message) in sent.drain_sent() {
            traffic.bytes += message.len();
            traffic.messages += 1;
            self.clients[self.by_entity[&to]]
                .app
                .world_mut()
                .resource_mut::<ClientMessages>()
                .insert_received(channel, message);
        }
        traffic
    }

    /// Hands the clients' messages to the server.
    pub fn answer(&mut self) {
        let mut received = self.server.world_mut().resource_mut::<ServerMessages>();
        for client in &mut self.clients {
            let mut sent = client.app.world_mut().resource_mut::<ClientMessages>();
            for (channel, message) in sent.drain_sent() {
                received.insert_received(client.entity, channel, message);
            }
        }
    }

    /// Runs ticks until the clients have everything and the server knows.
    pub fn settle(&mut self) {
        for _ in 0..3 {
            self.server_frame();
            self.deliver();
            for i in 0..self.clients.len() {
                self.client_frame(i);
            }
            self.answer();
        }
    }

    /// The values of some of the server's entities, sorted.
    pub fn expected(&self, sees: impl Fn(usize) -> bool) -> Vec<Vec<u64>> {
        let of = |&entity| self.server.world().get::<V>(entity).unwrap().bits();
        let seen = self.alive.iter().enumerate().filter(|(i, _)| sees(*i));
        let mut all: Vec<_> = seen.map(|(_, entity)| of(entity)).collect();
        all.sort();
        all
    }

    /// The values of a client's entities, sorted.
    pub fn received(&mut self, client: usize) -> Vec<Vec<u64>> {
        let world = self.clients[client].app.world_mut();
        let mut query = world.query_filtered::<&V, With<Remote>>();
        let mut all: Vec<_> = query.iter(world).map(V::bits).collect();
        all.sort();
        all
    }
}

fn new_app<V: Value>(replicon: impl PluginGroup) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, StatesPlugin, replicon))
        .replicate::<V>();
    app.finish();
    app.cleanup();
    app
}
