// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The access rules of one server. Thread-safe. */
public final class AccessControl {
  private final HostNames hosts;
  private final Optional<String> publicOrigin;
  private final Tokens tokens;

  /**
   * The rules of a server.
   *
   * @param host the address or name that it listens on
   * @param nanos a stopwatch for quotas
   * @throws IllegalArgumentException if the tokens cannot be used; the message is one sentence with
   *     the reason
   */
  public AccessControl(AccessOptions options, String host, LongSupplier nanos) {
    hosts = new HostNames(host, options.publicUrl(), options.allowedHosts());
    publicOrigin = options.publicUrl().map(AccessControl::origin);
    Optional<Tokens> file = options.tokenFile().map(path -> Tokens.in(path, nanos));
    Optional<Tokens> text =
        options.tokens().map(lines -> Tokens.of(lines, AccessOptions.TOKENS_VARIABLE, nanos));
    tokens = file.or(() -> text).orElseGet(Tokens::none);
  }

  /** The caller of a request with the given {@code Authorization} header. */
  public Caller caller(Optional<String> authorization) {
    return tokens.caller(authorization);
  }

  /** Whether a request may address the server by this name, which is without a port. */
  public boolean allowsHost(String name) {
    return hosts.allows(name);
  }

  /**
   * Whether a browser sends the request on behalf of a page of another site.
   *
   * @param scheme of the request, http or https
   * @param authority the authority that the request was sent to, with its port if it has one
   * @param origin the header {@code Origin}
   * @param fetchSite the header {@code Sec-Fetch-Site}
   */
  public boolean isForeign(
      String scheme, String authority, Optional<String> origin, Optional<String> fetchSite) {
    if (fetchSite.filter("cross-site"::equalsIgnoreCase).isPresent()) {
      return true;
    }
    if (origin.isEmpty()) {
      return false;
    }
    String from = origin.get().toLowerCase(Locale.ROOT);
    String to = authority.toLowerCase(Locale.ROOT);
    // The server's page may have been delivered through a proxy that terminates TLS.
    boolean own = from.equals(scheme + "://" + to) || from.equals("https://" + to);
    return !own && publicOrigin.filter(from::equals).isEmpty();
  }

  private static String origin(URI url) {
    String port = url.getPort() < 0 ? "" : ":" + url.getPort();
    return (url.getScheme() + "://" + url.getHost() + port).toLowerCase(Locale.ROOT);
  }

  /** Reloads changed files. Never throws. */
  public void refresh() {
    tokens.refresh();
  }
}
