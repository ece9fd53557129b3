package io.retroscope.sink;

import java.net.URI;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Makes sinks for addresses of one scheme, so that a service is told by its address alone, such as
 * {@code kafka://broker1:9092/retroscope}, where its events go. Found by {@link ServiceLoader}.
 */
public interface SinkProvider {
  /** The scheme in lower case, such as {@code kafka}. */
  String scheme();

  /**
   * A builder for a sink that sends to the address.
   *
   * @throws IllegalArgumentException if the address is not complete; the message says what is
   *     missing
   */
  DeliveringSinkBuilder<?> builder(URI address);

  /**
   * The builder for an address: of this library for http and https, else of a provider.
   *
   * @param loader where providers are looked for; null for the boot class path
   * @throws IllegalArgumentException if there is none, or it refuses the address
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
        "nothing here sends to \"%s\": give http://host:7340, or add the module for %s: addresses"
            .formatted(address, scheme));
  }
}
