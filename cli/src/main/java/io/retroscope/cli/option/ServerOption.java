// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.connection.ServerClient;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.client.ServerConnection;
import io.retroscope.sink.Credentials;
import io.retroscope.sink.HttpSink;
import io.retroscope.sink.ServerAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option that selects a log server. */
public final class ServerOption {
  private static final String VARIABLE = "RETROSCOPE_SERVER";
  private static final String DEFAULT = ServerConnection.DEFAULT_SERVER.toString();

  @Option(
      names = "--server",
      paramLabel = "URL",
      description =
          "The log server (default: $"
              + VARIABLE
              + ", or else http://127.0.0.1:"
              + HttpSink.DEFAULT_PORT
              + ").")
  private Optional<String> address = Optional.empty();

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = {
        "The file with the token for the server",
        "(default: $RETROSCOPE_TOKEN, $RETROSCOPE_TOKEN_FILE,",
        "or else ~/.config/retroscope/token)."
      })
  private Optional<Path> tokenFile = Optional.empty();

  @Option(
      names = "--ca",
      paramLabel = "FILE.pem",
      description = {
        "The certificate authorities that an https server's certificate is checked against",
        "(default: $RETROSCOPE_CA, or else those of the JVM)."
      })
  private Optional<Path> authorities = Optional.empty();

  @Option(
      names = "--cert",
      paramLabel = "FILE.pem",
      description = "The client certificate (default: $RETROSCOPE_CERT).")
  private Optional<Path> certificate = Optional.empty();

  @Option(
      names = "--key",
      paramLabel = "FILE.pem",
      description = "The certificate's private key (default: $RETROSCOPE_KEY).")
  private Optional<Path> key = Optional.empty();

  /** Whether it was named on the command line. */
  public boolean given() {
    return address.isPresent();
  }

  public URI uri() {
    String text =
        address.orElseGet(() -> Optional.ofNullable(System.getenv(VARIABLE)).orElse(DEFAULT));
    try {
      URI uri = ServerAddress.parse(text);
      if ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme())) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // Reported below, like every other invalid address.
    }
    throw new CommandException(
        ExitCode.USAGE, "not the address of a server: \"%s\" (like %s)".formatted(text, DEFAULT));
  }

  /** The process's environment, overridden by the options. */
  public Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    if (tokenFile.isPresent()) {
      environment.remove(Credentials.TOKEN);
    }
    put(environment, Credentials.TOKEN_FILE, tokenFile);
    put(environment, Credentials.AUTHORITIES, authorities);
    put(environment, Credentials.CERTIFICATE, certificate);
    put(environment, Credentials.KEY, key);
    return environment;
  }

  private static void put(Map<String, String> environment, String name, Optional<Path> file) {
    file.ifPresent(path -> environment.put(name, path.toString()));
  }

  /** The server with the credentials for it. */
  public ServerClient client() {
    try {
      return new ServerClient(new ServerConnection(uri(), Credentials.of(environment())));
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }
}
