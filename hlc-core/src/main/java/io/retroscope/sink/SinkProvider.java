// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.net.URI;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * A provider of sinks for addresses of one scheme, so that an address such as {@code
 * kafka://broker1:9092/retroscope} is all that a service needs to choose its sink. Loaded by {@link
 * ServiceLoader}. Thread-safe.
 */
public interface SinkProvider {
  /** The scheme in lower case, such as {@code kafka}. */
  String scheme();

  /**
   * A builder of a sink that sends to the address.
   *
   * @throws IllegalArgumentException if the address is incomplete; the message names the missing
   *     part
   */
  DeliveringSinkBuilder<?> builder(URI address);

  /**
   * The builder for an address: this library's own for http and https, otherwise a provider's.
   *
   * @param loader the class loader in which providers are looked up; null for the boot class path
   * @throws IllegalArgumentException if there is no provider, or it refuses the address
   */
  static DeliveringSinkBuilder<?> builder(URI address, @Nullable ClassLoader loader) {
    String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
    if (scheme.equals("http") || scheme.equals("https")) {
      return HttpSink.builder().server(address);
    }
    try {
      for (SinkProvider provider : ServiceLoader.load(SinkProvider.class, loader)) {
        if (provider.scheme().equals(scheme)) {
          return provider.builder(address);
        }
      }
    } catch (ServiceConfigurationError e) {
      throw new IllegalArgumentException(
          "a sink provider cannot be used: " + e.getMessage() + " (" + e.getCause() + ")", e);
    }
    throw new IllegalArgumentException(
        "no sink for \"%s\": use http://host:7340, or add the module for %s: addresses"
            .formatted(address, scheme));
  }
}
