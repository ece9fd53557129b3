// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.health;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health of a server as the result of several checks; a change of the failing check is logged.
 * Thread-safe.
 */
public final class Health {
  private static final Logger logger = LoggerFactory.getLogger(Health.class);

  private final List<Check> checks = new CopyOnWriteArrayList<>();
  private final List<Check> notices = new CopyOnWriteArrayList<>();
  private Optional<Check> last = Optional.empty();
  private Optional<Check> lastNotice = Optional.empty();

  /** A check of one precondition. */
  public interface Check {
    /** The problem and its remedy in one sentence; empty if there is none. Returns immediately. */
    Optional<String> trouble();
  }

  /** Adds a check; those that were added first are reported first. */
  public void add(Check check) {
    checks.add(check);
  }

  /** Adds a check of something that should be corrected, although the server works. */
  public void addNotice(Check check) {
    notices.add(check);
  }

  /** The first problem found that does not keep the server from working; empty if there is none. */
  public synchronized Optional<String> notice() {
    Optional<Check> failing = Optional.empty();
    Optional<String> sentence = Optional.empty();
    for (Check check : notices) {
      if (sentence.isEmpty()) {
        sentence = check.trouble();
        failing = sentence.isPresent() ? Optional.of(check) : failing;
      }
    }
    if (!failing.equals(lastNotice)) {
      sentence.ifPresentOrElse(logger::warn, () -> logger.info("what was noticed is corrected"));
    }
    lastNotice = failing;
    return sentence;
  }

  /** The first problem found, in one sentence; empty if there is none. */
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

  /** Compares the checks, because a sentence may contain numbers that change all the time. */
  private synchronized void note(Optional<Check> failing, String trouble) {
    if (!failing.equals(last)) {
      failing.ifPresentOrElse(
          check -> logger.warn("not ready: {}", trouble), () -> logger.info("ready again"));
    }
    last = failing;
  }
}
