package io.retroscope.cli.process;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.jline.terminal.spi.SystemStream;
import org.jline.terminal.spi.TerminalProvider;

/**
 * The streams of the process, each with whether it is a terminal. Everything is UTF-8.
 *
 * @param out results
 * @param err errors, warnings and progress
 * @param width columns of the terminal
 */
public record StandardStreams(
    InputStream in,
    PrintWriter out,
    PrintWriter err,
    boolean inIsTerminal,
    boolean outIsTerminal,
    boolean errIsTerminal,
    IntSupplier width) {
  /** The width if there is no terminal. */
  public static final int DEFAULT_WIDTH = 80;

  /** The process's own streams. */
  public static StandardStreams system() {
    Optional<TerminalProvider> provider = provider();
    int width =
        provider
            .map(p -> p.systemStreamWidth(SystemStream.Output))
            .filter(w -> w > 0)
            .orElse(DEFAULT_WIDTH);
    return new StandardStreams(
        System.in,
        writer(FileDescriptor.out),
        writer(FileDescriptor.err),
        provider.isPresent() && provider.get().isSystemStream(SystemStream.Input),
        provider.isPresent() && provider.get().isSystemStream(SystemStream.Output),
        provider.isPresent() && provider.get().isSystemStream(SystemStream.Error),
        () -> width);
  }

  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(
        new BufferedWriter(
            new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8)));
  }

  /**
   * Returns a provider with native code if it loads, otherwise one with the system's own programs.
   */
  private static Optional<TerminalProvider> provider() {
    for (String name : List.of("jni", "exec")) {
      try {
        return Optional.of(TerminalProvider.load(name));
      } catch (IOException | LinkageError unusable) {
        // Try the next one.
      }
    }
    return Optional.empty();
  }
}
