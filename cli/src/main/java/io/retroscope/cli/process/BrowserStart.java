// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.process;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The program that opens an address in the user's browser, where there is a screen. Immutable. */
public final class BrowserStart {
  private final Optional<List<String>> program;

  private BrowserStart(Optional<List<String>> program) {
    this.program = program;
  }

  /** The program of this machine. */
  public static BrowserStart ofThisMachine() {
    return new BrowserStart(program(System.getProperty("os.name", ""), System.getenv()));
  }

  /**
   * The words of the command before the address; empty if nothing can be shown.
   *
   * @param system the name of the operating system
   */
  static Optional<List<String>> program(String system, Map<String, String> environment) {
    String name = system.toLowerCase(Locale.ROOT);
    if (name.startsWith("mac")) {
      return Optional.of(List.of("open"));
    }
    if (name.startsWith("windows")) {
      return Optional.of(List.of("rundll32", "url.dll,FileProtocolHandler"));
    }
    boolean hasScreen =
        !environment.getOrDefault("DISPLAY", "").isEmpty()
            || !environment.getOrDefault("WAYLAND_DISPLAY", "").isEmpty();
    return hasScreen ? Optional.of(List.of("xdg-open")) : Optional.empty();
  }

  /** Opens an address; does nothing where that is not possible, because the address is printed. */
  public void open(URI address) {
    if (program.isEmpty()) {
      return;
    }
    List<String> words = new ArrayList<>(program.get());
    words.add(address.toString());
    try {
      Process unused =
          new ProcessBuilder(words)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      // There is no such program.
    }
  }
}
