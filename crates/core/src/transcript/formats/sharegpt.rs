//! ShareGPT conversations.
