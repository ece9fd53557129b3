package io.retroscope.server.access;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The rules on requests to one server. Thread-safe. */
public final class AccessControl {
  private final HostNames hosts;
  private final Optional<String> publicOrigin;
  private final Tokens tokens;

  /**
   * The rules of a server.
   *
   * @param host the address or name that it listens on
   * @param nanos measures quotas
   * @throws IllegalArgumentException if the tokens cannot be used, with one sentence that says why
   */
  public AccessControl(AccessOptions options, String host, LongSupplier nanos) {
    hosts = new HostNames(host, options.publicUrl(), options.allowedHosts());
    publicOrigin = options.publicUrl().map(AccessControl::origin);
    Optional<Tokens> file = options.tokenFile().map(path -> Tokens.in(path, nanos));
    Optional<Tokens> text =
        options.tokens().map(lines -> Tokens.of(lines, AccessOptions.TOKENS_VARIABLE, nanos));
    tokens = file.or(() -> text).orElseGet(Tokens::none);
  }

  /** The caller that a request is from; the text is its {@code Authorization}. */
  public Caller caller(Optional<String> authorization) {
    return tokens.caller(authorization);
  }

  /** Whether callers without a token are strangers. */
  public boolean requiresTokens() {
    return tokens.areRequired();
  }

  /** Whether a request may call the server so; the name comes without a port. */
  public boolean allowsHost(String name) {
    return hosts.allows(name);
  }

  /**
   * Whether a browser sends the request for a page of another site.
   *
   * @param scheme of the request, http or https
   * @param authority that the request was sent to, with its port if it has one
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
    // A proxy may have ended the TLS of a page that the server has given.
    boolean own = from.equals(scheme + "://" + to) || from.equals("https://" + to);
    return !own && publicOrigin.filter(from::equals).isEmpty();
  }

  private static String origin(URI url) {
    String port = url.getPort() < 0 ? "" : ":" + url.getPort();
    return (url.getScheme() + "://" + url.getHost() + port).toLowerCase(Locale.ROOT);
  }

  /** Takes over what has changed in the files. Never throws. */
  public void refresh() {
    tokens.refresh();
  }
}
