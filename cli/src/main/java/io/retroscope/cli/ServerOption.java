package io.retroscope.cli;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which log server to talk to. */
final class ServerOption {
  private static final String VARIABLE = "RETROSCOPE_SERVER";
  private static final String DEFAULT = "http://127.0.0.1:7340";

  @Option(
      names = "--server",
      paramLabel = "URL",
      description = "The log server (default: $" + VARIABLE + ", or else " + DEFAULT + ").")
  private Optional<String> address = Optional.empty();

  /** Whether it was named on the command line. */
  boolean given() {
    return address.isPresent();
  }

  URI uri() {
    String text =
        address.orElseGet(() -> Optional.ofNullable(System.getenv(VARIABLE)).orElse(DEFAULT));
    try {
      URI uri = new URI(text.contains("://") ? text : "http://" + text);
      if (uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
        return uri;
      }
    } catch (URISyntaxException e) {
      // Said below, like every other address that cannot be one.
    }
    throw new CommandException(
        ExitCode.USAGE, "not the address of a server: \"%s\" (like %s)".formatted(text, DEFAULT));
  }
}
