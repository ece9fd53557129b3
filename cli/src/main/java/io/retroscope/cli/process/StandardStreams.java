// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.process;

import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private static final AtomicBoolean readerEnded = new AtomicBoolean();

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
            new OutputStreamWriter(new Observed(descriptor), StandardCharsets.UTF_8)));
  }

  /** The standard output as bytes, written at the end of each line. */
  public static PrintStream output() {
    return new PrintStream(new BufferedOutputStream(new Observed(FileDescriptor.out)), true);
  }

  /** Whether the program that read an output of this process has ended, as {@code head} does. */
  public static boolean hasReaderEnded() {
    return readerEnded.get();
  }

  /** An output that notes why it fails; the writers around it give no reason. */
  private static final class Observed extends FileOutputStream {
    Observed(FileDescriptor descriptor) {
      super(descriptor);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      try {
        super.write(bytes, from, length);
      } catch (IOException e) {
        boolean isPipe = String.valueOf(e.getMessage()).contains("Broken pipe");
        readerEnded.compareAndSet(false, isPipe);
        throw e;
      }
    }
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
