//! Anthropic messages.
