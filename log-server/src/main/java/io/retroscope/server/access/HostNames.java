// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The names by which requests may address the server. Immutable.
 *
 * <p>A web page can read from a server in its visitor's network once the page's own name resolves
 * to that server (DNS rebinding). The request then has the page's name in {@code Host}. A literal
 * address cannot be rebound, so all addresses are allowed: health probes and scrapers use them.
 */
public final class HostNames {
  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
  private static final Pattern IPV6 = Pattern.compile("\\[?[0-9a-f]*:[0-9a-f:.]+(%[\\w.-]+)?]?");

  private final Set<String> names = new HashSet<>();

  /**
   * The names of a server.
   *
   * @param host the address or name to listen on
   * @param publicUrl the URL under which clients reach the server
   * @param others further names
   */
  public HostNames(String host, Optional<URI> publicUrl, Collection<String> others) {
    names.add(normal(host));
    publicUrl.map(URI::getHost).map(HostNames::normal).ifPresent(names::add);
    others.forEach(name -> names.add(normal(name)));
  }

  /** Whether a request may address the server by this name, which is without a port. */
  public boolean allows(String host) {
    String name = normal(host);
    return IPV4.matcher(name).matches()
        || IPV6.matcher(name).matches()
        || name.equals("localhost")
        || name.endsWith(".localhost")
        || names.contains(name);
  }

  private static String normal(String host) {
    String lower = host.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  /**
   * Whether the address, or every address of the name, is reachable only from this machine.
   *
   * @throws IllegalArgumentException if the name has no address
   */
  public static boolean isLoopback(String host) {
    try {
      for (InetAddress address : InetAddress.getAllByName(host)) {
        if (!address.isLoopbackAddress()) {
          return false;
        }
      }
      return true;
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "host " + host + " has no address: name one of this machine's, or 0.0.0.0 for all", e);
    }
  }
}
