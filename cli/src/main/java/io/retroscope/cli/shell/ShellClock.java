package io.retroscope.cli.shell;

import java.util.concurrent.TimeUnit;

/** Time as the shell measures and waits for it. */
interface ShellClock {
  /** The only place of the shell that reads the machine's time. */
  ShellClock SYSTEM =
      new ShellClock() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public void pause(long millis) throws InterruptedException {
          TimeUnit.MILLISECONDS.sleep(millis);
        }
      };

  /** Nanoseconds from an arbitrary start. */
  long nanos();

  /** Waits. */
  void pause(long millis) throws InterruptedException;
}
