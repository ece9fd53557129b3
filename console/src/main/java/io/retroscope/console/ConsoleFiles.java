// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The files of the console's page, which are in jars: its own and those of libraries. Thread-safe;
 * each file is read once.
 */
public final class ConsoleFiles {
  /** The path of the files, before their names. */
  public static final String PATH = "/console/";

  private static final String LIBRARIES = "lib/";

  /** Names without dots but the last one, so that no path leaves its folder. */
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*\\.(?:js|css|svg|json)");

  private static final Map<String, String> MEDIA_TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "json", "application/json");

  private final Map<String, ConsoleFile> known = new ConcurrentHashMap<>();
  private final ConsoleFile index;
  private final String policy;

  /**
   * Reads the page.
   *
   * @param more files of other modules, by the names that the page gives them
   */
  public ConsoleFiles(Map<String, byte[]> more) {
    more.forEach((name, bytes) -> known.put(name, file(ending(name), bytes, false)));
    String map = ConsoleLibrary.importMap();
    String page = ReportPage.resource("index.html").replace("{{importmap}}", map);
    index = file("html", page.getBytes(StandardCharsets.UTF_8), false);
    policy =
        ("default-src 'none'; script-src 'self' '%s'; style-src 'self'; connect-src 'self';"
                + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
                + " require-trusted-types-for 'script'; trusted-types lit-html")
            .formatted(ReportPage.hash(map));
  }

  /** The page itself. */
  public ConsoleFile index() {
    return index;
  }

  /** The value of the header {@code Content-Security-Policy} of the page. */
  public String policy() {
    return policy;
  }

  /**
   * Returns a file.
   *
   * @param name the path after {@link #PATH}
   * @return empty if there is no such file
   */
  public Optional<ConsoleFile> find(String name) {
    ConsoleFile file = known.get(name);
    if (file == null) {
      file = read(name);
      if (file != null) {
        known.put(name, file);
      }
    }
    return Optional.ofNullable(file);
  }

  private static @Nullable ConsoleFile read(String name) {
    boolean isPinned = name.startsWith(LIBRARIES);
    Optional<String> resource =
        isPinned
            ? ConsoleLibrary.resource(name.substring(LIBRARIES.length()))
            : Optional.of(name).filter(own -> NAME.matcher(own).matches());
    if (resource.isEmpty()) {
      return null;
    }
    try (InputStream in = ConsoleFiles.class.getResourceAsStream(resource.get())) {
      return in == null ? null : file(ending(name), in.readAllBytes(), isPinned);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String ending(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static ConsoleFile file(String ending, byte[] bytes, boolean isPinned) {
    String type = MEDIA_TYPES.getOrDefault(ending, "application/octet-stream");
    return new ConsoleFile(type, bytes, gzip(bytes), "\"" + tag(bytes) + "\"", isPinned);
  }

  private static String tag(byte[] bytes) {
    return ReportPage.hash(bytes).substring("sha256-".length()).substring(0, 22);
  }

  private static byte[] gzip(byte[] bytes) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(bytes);
    } catch (IOException e) {
      throw new AssertionError("memory can always be written", e);
    }
    return packed.toByteArray();
  }
}
