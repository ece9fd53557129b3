package io.retroscope.server.health;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether a server can do all that it is there for; logged when that changes. Thread-safe. */
public final class Health {
  private static final Logger logger = LoggerFactory.getLogger(Health.class);

  private final List<Check> checks = new CopyOnWriteArrayList<>();
  private Optional<String> last = Optional.empty();

  /** One thing that must work. */
  public interface Check {
    /** What is wrong and what to do, in one sentence; empty if nothing is. Returns at once. */
    Optional<String> trouble();
  }

  /** Adds a check; those that were added first are reported first. */
  public void add(Check check) {
    checks.add(check);
  }

  /** The first trouble found, in one sentence; empty if there is none. */
  public Optional<String> trouble() {
    Optional<String> found = Optional.empty();
    for (Check check : checks) {
      found = found.isPresent() ? found : check.trouble();
    }
    note(found);
    return found;
  }

  private synchronized void note(Optional<String> found) {
    if (found.isPresent() != last.isPresent()) {
      found.ifPresentOrElse(
          trouble -> logger.warn("not ready: {}", trouble), () -> logger.info("ready"));
    }
    last = found;
  }
}
