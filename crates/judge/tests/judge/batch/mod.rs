//! Batches against a provider of our own on loopback, in both providers' words: exactly one answer a question, and nothing
//! sent or paid twice.

mod batch_client;
mod collecting;
mod provider;
mod replies;
mod restarting;
mod sending;
