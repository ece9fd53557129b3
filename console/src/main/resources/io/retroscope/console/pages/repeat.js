// Tasks of a page that repeat.

/**
 * Runs a task at intervals while the page is visible; never while its last run has not ended, so
 * that a slow server has one request of it at a time.
 *
 * @returns what ends it
 */
export function repeat(task, millis) {
  let running = false;
  const timer = setInterval(async () => {
    if (document.hidden || running) {
      return;
    }
    running = true;
    try {
      await task();
    } finally {
      running = false;
    }
  }, millis);
  return () => clearInterval(timer);
}
