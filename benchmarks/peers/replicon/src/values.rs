//! The one component that the entities of a scenario have. They equal those of the Go side.

use bevy::{ecs::component::Mutable, prelude::*};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A replicated component.
pub trait Value: Component<Mutability = Mutable> + Serialize + DeserializeOwned {
    /// The component of entity n, or of a later tick.
    fn of(n: usize) -> Self;

    /// What `verify` compares.
    fn bits(&self) -> Vec<u64>;
}

/// A float of four bytes.
#[derive(Component, Serialize, Deserialize)]
pub struct Scalar(f32);

/// An integer of eight bytes, which is 0 or 1.
#[derive(Component, Serialize, Deserialize)]
pub struct Number(u64);

/// 60 bytes.
#[derive(Component, Serialize, Deserialize)]
pub struct Block([f32; 15]);

impl Value for Scalar {
    fn of(n: usize) -> Self {
        Self(n as f32)
    }

    fn bits(&self) -> Vec<u64> {
        vec![self.0.to_bits().into()]
    }
}

impl Value for Number {
    fn of(n: usize) -> Self {
        Self(n as u64 & 1)
    }

    fn bits(&self) -> Vec<u64> {
        vec![self.0]
    }
}

impl Value for Block {
    fn of(n: usize) -> Self {
        Self(std::array::from_fn(|i| (n + i) as f32))
    }

    fn bits(&self) -> Vec<u64> {
        self.0.iter().map(|v| v.to_bits().into()).collect()
    }
}
