// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The page as one file that makes no request. Its modules become one script, in the order of their
 * dependencies, because modules in a page cannot import one another; its policy allows nothing but
 * that script and the style sheet, by their hashes.
 */
final class ReportPage {
  /** The modules; each imports only those before it. */
  static final List<String> MODULES =
      List.of(
          "timeline/stamp.js",
          "timeline/recording.js",
          "timeline/scale.js",
          "timeline/lanes.js",
          "timeline/diagram.js",
          "timeline/tables.js",
          "timeline/report.js",
          "timeline/main.js");

  private static final Pattern IMPORT = Pattern.compile("(?m)^import [^;]*;\\n");
  private static final Pattern EXPORT = Pattern.compile("(?m)^export ");
  private static final Pattern PLACE = Pattern.compile("\\{\\{([a-z]+)}}");

  private ReportPage() {}

  /**
   * Writes the page.
   *
   * @param title plain text
   * @param summary plain text
   * @param data text without markup
   */
  static void write(String title, String summary, CharSequence data, Writer out)
      throws IOException {
    String script = script();
    String style = resource("colors.css") + resource("report.css");
    Map<String, CharSequence> parts =
        Map.of(
            "title",
            escaped(title),
            "summary",
            escaped(summary),
            "policy",
            policy(script, style),
            "style",
            style,
            "script",
            script,
            "data",
            data);
    String template = resource("report.html");
    Matcher place = PLACE.matcher(template);
    int written = 0;
    while (place.find()) {
      out.append(template, written, place.start());
      CharSequence part = parts.get(place.group(1));
      if (part == null) {
        throw new AssertionError("a template without " + place.group(1));
      }
      out.append(part);
      written = place.end();
    }
    out.append(template, written, template.length());
  }

  /** The modules as one script. */
  static String script() {
    StringBuilder script = new StringBuilder("\"use strict\";\n(async () => {\n");
    for (String module : MODULES) {
      String text = IMPORT.matcher(resource(module)).replaceAll("");
      script.append(EXPORT.matcher(text).replaceAll(""));
    }
    return script.append("})();\n").toString();
  }

  private static String policy(String script, String style) {
    return "default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'"
        .formatted(hash(script), hash(style));
  }

  /** The SHA-256 of a text as a policy has it. */
  static String hash(String text) {
    return hash(text.getBytes(StandardCharsets.UTF_8));
  }

  static String hash(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return "sha256-" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  static String resource(String name) {
    try (InputStream in = ReportPage.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new AssertionError("missing in the jar: " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
