// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.concurrent.TimeUnit;

/** The commands' clock, for measuring and for waiting. */
public interface ShellClock {
  /** The only place in the commands that reads the system clock. */
  ShellClock SYSTEM = system(ZoneId.systemDefault());

  /** The system clock, in a zone. */
  static ShellClock system(ZoneId zone) {
    return new ShellClock() {
      @Override
      public long nanos() {
        return System.nanoTime();
      }

      @Override
      public ZonedDateTime now() {
        return ZonedDateTime.now(zone);
      }

      @Override
      public void pause(long millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
      }
    };
  }

  /** Returns nanoseconds since an arbitrary start. */
  long nanos();

  /** Returns the time of day, in the zone of times that are typed without one. */
  ZonedDateTime now();

  /** Waits. */
  void pause(long millis) throws InterruptedException;
}
