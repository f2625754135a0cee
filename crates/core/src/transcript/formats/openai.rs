//! OpenAI messages.
