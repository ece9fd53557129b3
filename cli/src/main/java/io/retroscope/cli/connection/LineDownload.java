// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.connection;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.client.LineInput;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.json.RowJson;
import io.retroscope.server.lines.AlignedLine;
import io.retroscope.server.lines.LineJson;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A reader of a log server's log lines. */
public final class LineDownload {
  private final ServerClient server;
  private final Consumer<String> warnings;

  /**
   * Lines of a server.
   *
   * @param warnings takes the warnings among the lines
   */
  public LineDownload(ServerClient server, Consumer<String> warnings) {
    this.server = server;
    this.warnings = warnings;
  }

  /**
   * Passes on every line as it arrives, until the server has no more or the sink accepts no more.
   *
   * @param parameters the parameters of {@code LineRequest}
   * @param sink returns whether it accepts more
   */
  public void read(Map<String, List<String>> parameters, Predicate<AlignedLine> sink) {
    try {
      read(parameters, Optional.empty(), () -> {}, sink);
    } catch (IOException e) {
      throw ServerClient.lost(e);
    }
  }

  /**
   * Passes on every line as it arrives.
   *
   * @param longestSilence the time without data after which the connection is considered broken;
   *     empty for no limit
   * @param onAnswer runs as soon as the server responds
   * @throws IOException if the connection fails
   */
  void read(
      Map<String, List<String>> parameters,
      Optional<Duration> longestSilence,
      Runnable onAnswer,
      Predicate<AlignedLine> sink)
      throws IOException {
    try (LineInput lines =
        new LineInput(server.open("/v1/lines", query(parameters), longestSilence))) {
      onAnswer.run();
      boolean more = true;
      for (Optional<String> text = next(lines); more && text.isPresent(); text = next(lines)) {
        Optional<AlignedLine> line = text.get().isBlank() ? Optional.empty() : line(text.get());
        more = line.isEmpty() || sink.test(line.get());
      }
    }
  }

  private static String query(Map<String, List<String>> parameters) {
    return parameters.entrySet().stream()
        .flatMap(p -> p.getValue().stream().map(value -> p.getKey() + "=" + encoded(value)))
        .collect(Collectors.joining("&"));
  }

  private static String encoded(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  private Optional<String> next(LineInput lines) throws IOException {
    try {
      return lines.next();
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      throw new IOException("the connection to " + server + " broke", e);
    }
  }

  /** Empty for a warning, which is handed on. */
  private Optional<AlignedLine> line(String text) throws IOException {
    try {
      if (JsonValues.parse(text) instanceof StructValue object) {
        Optional<String> warning = RowJson.warningIn(object);
        if (warning.isPresent()) {
          warnings.accept(warning.get());
          return Optional.empty();
        }
        if (object.fields().get("problem") instanceof StructValue problem) {
          throw failure(problem);
        }
        return Optional.of(LineJson.read(object));
      }
    } catch (IllegalArgumentException e) {
      // Reported below, like any other text that is not a line.
    }
    throw new CommandException(
        ExitCode.FAILED, "the answer of " + server + " cannot be read: is it a log server?");
  }

  /** Returns the reason of an early end. A server that is shutting down may return. */
  private RuntimeException failure(StructValue problem) throws IOException {
    String reason = server + ": " + ProblemJson.detail(problem);
    if (ProblemJson.isGoingDown(problem)) {
      throw new IOException(reason);
    }
    return new CommandException(ExitCode.FAILED, reason);
  }
}
