//! The web app as people use it: judging, reading, comparing and rating in a real browser.

mod access;
mod chats;
mod compare;
mod hostile;
mod judge;
mod keyboard;
mod live;
mod looks;
mod plain;
mod rate;
mod report;
mod runs;
mod slow_judge;
mod stage;
