// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * The address of a log server as users write it: {@code host}, {@code host:port}, or a URI. The
 * same rule applies to services and to the command line. Thread-safe.
 */
public final class ServerAddress {
  private static final String EXPECTED =
      "an address like http://host:7340 or host:7340, or one with a sink provider's scheme";

  private ServerAddress() {}

  /**
   * The address as a URI. Without a scheme, it is http, and the port is 7340 unless given; a URI is
   * returned unchanged.
   *
   * @throws IllegalArgumentException if the text is not an address; the message describes the
   *     expected form
   */
  public static URI parse(String text) {
    boolean bare = !text.contains("://");
    try {
      URI uri = new URI(bare ? "http://" + text : text);
      boolean http = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT).matches("https?");
      if (uri.getRawAuthority() == null || (http && uri.getHost() == null)) {
        throw new IllegalArgumentException(
            "no host in the address \"" + text + "\": it must be " + EXPECTED);
      }
      return bare && uri.getPort() < 0 ? withDefaultPort(uri) : uri;
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("must be " + EXPECTED + ": \"" + text + "\"", e);
    }
  }

  private static URI withDefaultPort(URI uri) throws URISyntaxException {
    return new URI(
        uri.getScheme(),
        uri.getUserInfo(),
        uri.getHost(),
        HttpSink.DEFAULT_PORT,
        uri.getPath(),
        uri.getQuery(),
        uri.getFragment());
  }
}
