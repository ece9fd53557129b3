package io.retroscope.cli;

import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.shell.ExitCode;
import io.retroscope.sink.ServerAddress;
import java.net.URI;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which log server to talk to. */
final class ServerOption {
  private static final String VARIABLE = "RETROSCOPE_SERVER";
  private static final String DEFAULT = RqlClient.DEFAULT_SERVER.toString();

  @Option(
      names = "--server",
      paramLabel = "URL",
      description = "The log server (default: $" + VARIABLE + ", or else http://127.0.0.1:7340).")
  private Optional<String> address = Optional.empty();

  /** Whether it was named on the command line. */
  boolean given() {
    return address.isPresent();
  }

  URI uri() {
    String text =
        address.orElseGet(() -> Optional.ofNullable(System.getenv(VARIABLE)).orElse(DEFAULT));
    try {
      URI uri = ServerAddress.parse(text);
      if ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme())) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // Said below, like every other address that cannot be one.
    }
    throw new CommandException(
        ExitCode.USAGE, "not the address of a server: \"%s\" (like %s)".formatted(text, DEFAULT));
  }
}
