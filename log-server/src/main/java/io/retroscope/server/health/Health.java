package io.retroscope.server.health;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a server can do all that it is there for; logged when another check fails. Thread-safe.
 */
public final class Health {
  private static final Logger logger = LoggerFactory.getLogger(Health.class);

  private final List<Check> checks = new CopyOnWriteArrayList<>();
  private Optional<Check> last = Optional.empty();

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
    for (Check check : checks) {
      Optional<String> trouble = check.trouble();
      if (trouble.isPresent()) {
        note(Optional.of(check), trouble.get());
        return trouble;
      }
    }
    note(Optional.empty(), "");
    return Optional.empty();
  }

  /** A sentence may have numbers that change all the time: the check that fails is what counts. */
  private synchronized void note(Optional<Check> failing, String trouble) {
    if (!failing.equals(last)) {
      failing.ifPresentOrElse(
          check -> logger.warn("not ready: {}", trouble), () -> logger.info("ready again"));
    }
    last = failing;
  }
}
