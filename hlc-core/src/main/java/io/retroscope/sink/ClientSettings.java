// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * Settings that are passed to a client library under its own names, such as those for TLS and SASL.
 * Thread-safe; reads the file at each call.
 *
 * <p>For the library {@code kafka}, the setting {@code ssl.truststore.location} comes from
 *
 * <ol>
 *   <li>the environment variable {@code RETROSCOPE_KAFKA_SSL_TRUSTSTORE_LOCATION}, else
 *   <li>the system property {@code retroscope.kafka.ssl.truststore.location}, else
 *   <li>the properties file (UTF-8) that {@code RETROSCOPE_KAFKA_CONFIG} or {@code
 *       retroscope.kafka.config} names.
 * </ol>
 *
 * Settings on the command line, and the file named there, take precedence over all of these.
 *
 * <p>Blank variables and properties are treated as absent; blank values in the file are used.
 * Values may be secrets: no message contains one.
 */
public final class ClientSettings {
  private static final String FILE_SETTING = "config";
  private static final long MAX_FILE_BYTES = 1 << 20;

  private ClientSettings() {}

  /**
   * The settings that this process was given.
   *
   * @param library the library's name in lower case, letters only
   * @return the settings, by the library's own names
   * @throws IllegalArgumentException if the file cannot be read; the message names it
   */
  public static Map<String, String> ofProcess(String library) {
    return ofProcess(library, Map.of());
  }

  /**
   * The settings that this process was given, including those on its command line.
   *
   * @param library the library's name in lower case, letters only
   * @param options from the command line, by the library's own names; {@code config} for a file
   * @return the settings, by the library's own names
   * @throws IllegalArgumentException if the file cannot be read; the message names it
   */
  public static Map<String, String> ofProcess(String library, Map<String, String> options) {
    Map<String, String> properties = new HashMap<>();
    Properties all = System.getProperties();
    all.stringPropertyNames().forEach(name -> properties.put(name, all.getProperty(name, "")));
    return of(library, System.getenv(), properties, options);
  }

  static Map<String, String> of(
      String library,
      Map<String, String> environment,
      Map<String, String> properties,
      Map<String, String> options) {
    Map<String, String> single = new HashMap<>();
    String propertyPrefix = "retroscope." + library + ".";
    String variablePrefix = "RETROSCOPE_" + library.toUpperCase(Locale.ROOT) + "_";
    properties.forEach(
        (name, value) -> {
          if (name.startsWith(propertyPrefix) && !value.isBlank()) {
            single.put(name.substring(propertyPrefix.length()), value);
          }
        });
    environment.forEach(
        (name, value) -> {
          if (name.startsWith(variablePrefix) && !value.isBlank()) {
            String rest = name.substring(variablePrefix.length());
            single.put(rest.toLowerCase(Locale.ROOT).replace('_', '.'), value);
          }
        });
    single.putAll(options);
    String file = single.remove(FILE_SETTING);
    Map<String, String> settings = new HashMap<>();
    if (file != null) {
      String named =
          options.containsKey(FILE_SETTING)
              ? "the command line"
              : "%sCONFIG (or %s%s)".formatted(variablePrefix, propertyPrefix, FILE_SETTING);
      settings.putAll(read(named, file));
    }
    settings.putAll(single);
    return Map.copyOf(settings);
  }

  private static Map<String, String> read(String named, String file) {
    Properties read = new Properties();
    try {
      Path path = Path.of(file);
      if (Files.size(path) > MAX_FILE_BYTES) {
        throw new IOException("it is larger than " + MAX_FILE_BYTES + " bytes");
      }
      try (Reader in = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
        read.load(in);
      }
    } catch (IOException | IllegalArgumentException e) {
      String reason = e instanceof NoSuchFileException ? "there is no such file" : e.getMessage();
      throw new IllegalArgumentException(
          "%s: cannot read \"%s\": %s".formatted(named, file, reason), e);
    }
    Map<String, String> settings = new HashMap<>();
    read.stringPropertyNames().forEach(name -> settings.put(name, read.getProperty(name, "")));
    return settings;
  }
}
