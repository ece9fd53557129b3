// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.faults;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The node of the tests of live queries: it records increasing numbers until a file named {@code
 * end} appears in the folder. The file {@code clock} has the offset of its clock, in microseconds.
 */
public final class SteppedNode {
  /** The log and its variable. */
  static final String LOG = "t";

  static final String VARIABLE = "x";

  private static final Duration STEP = Duration.ofMillis(8);

  private static volatile long offsetMicros;

  private SteppedNode() {}

  /** Runs the node. The arguments are its name, the server's address and the folder. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[2]);
    PhysicalClock clock = () -> PhysicalClock.system().micros() + offsetMicros;
    Recorder recorder =
        Recorder.builder()
            .node(args[0])
            .server(URI.create(args[1]))
            .stateDirectory(folder.resolve(args[0]))
            .physicalClock(clock)
            .build();
    EventLog log = recorder.log(LOG);
    for (long number = 1; !Files.exists(folder.resolve("end")); number++) {
      offsetMicros = offset(folder.resolve("clock"));
      log.set(VARIABLE, number);
      Thread.sleep(STEP.toMillis());
    }
    recorder.close();
    System.exit(0);
  }

  private static long offset(Path file) throws IOException {
    String text = Files.exists(file) ? Files.readString(file) : "";
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }
}
