//! The commands around runs from the outside: what they print, write and delete.

mod action;
mod ci;
mod delete;
mod export;
mod html;
mod place;
mod postgres;
mod rescore;
mod runs;
mod scores;
mod show;
