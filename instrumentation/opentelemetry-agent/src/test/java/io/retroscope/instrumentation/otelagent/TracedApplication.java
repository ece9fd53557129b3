// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.otelagent;

import io.retroscope.recorder.Recorder;
import java.nio.file.Path;

/** An application that shares a recorder of its own, which writes into the file in its argument. */
final class TracedApplication {
  private TracedApplication() {}

  public static void main(String[] args) throws Exception {
    String stamp;
    try (Recorder recorder =
        Recorder.builder().node("own").file(Path.of(args[0])).build().share()) {
      recorder.log("app").set("started", true);
      stamp = PlainApplication.stampOfARequest();
    }
    System.out.println(stamp);
    System.exit(0);
  }
}
