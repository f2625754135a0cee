//! Waiting for a database server that is away for a while, such as for a restart.

use std::time::{Duration, Instant};

use carelock_store::StoreError;

use crate::event::{Event, Events};

/// How long a server is waited for.
const PATIENCE: Duration = Duration::from_secs(600);
/// The first pause; each one after it is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// Asks the database, and again where the connection was lost, with longer and longer pauses. The number of the try, from
/// 0, is for questions that may have been heard although no answer came.
pub(super) async fn reconnecting<T>(
    events: &Events,
    mut ask: impl AsyncFnMut(u32) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let begun = Instant::now();
    let (mut pause, mut attempt) = (FIRST_PAUSE, 0);
    loop {
        match ask(attempt).await {
            Err(error) if error.is_connection_lost() && begun.elapsed() < PATIENCE => {
                if attempt == 0 {
                    events.tell(&Event::DatabaseLost(error.to_string()));
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
                attempt += 1;
            }
            answer => {
                if attempt > 0 && answer.is_ok() {
                    events.tell(&Event::DatabaseBack);
                }
                return answer;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    fn lost() -> StoreError {
        StoreError::Unreachable { database: "db".to_owned(), what: "connection reset".to_owned() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_lost_connection_is_tried_again_and_both_is_said_once() {
        let said = Arc::new(Mutex::new(Vec::new()));
        let events = {
            let said = Arc::clone(&said);
            Events::new(move |event| said.lock().unwrap().push(event.to_string()))
        };
        let answer = reconnecting(&events, async |attempt| if attempt < 3 { Err(lost()) } else { Ok(attempt) }).await;
        assert_eq!(answer.unwrap(), 3);
        let said = said.lock().unwrap();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("connection reset") && said[1].contains("is back"), "{said:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn another_error_is_not_tried_again() {
        let mut tries = 0;
        let answer: Result<(), _> = reconnecting(&Events::default(), async |_| {
            tries += 1;
            Err(StoreError::Full { database: "db".to_owned() })
        })
        .await;
        assert!(matches!(answer, Err(StoreError::Full { .. })));
        assert_eq!(tries, 1);
    }
}
