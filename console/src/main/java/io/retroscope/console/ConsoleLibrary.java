// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.rql.json.JsonText;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The libraries of the page, which are WebJars with native modules. */
enum ConsoleLibrary {
  AUTOCOMPLETE("@codemirror/autocomplete", "codemirror__autocomplete", "6.20.3", "dist/index.js"),
  COMMANDS("@codemirror/commands", "codemirror__commands", "6.10.4", "dist/index.js"),
  LANGUAGE("@codemirror/language", "codemirror__language", "6.12.4", "dist/index.js"),
  LINT("@codemirror/lint", "codemirror__lint", "6.9.7", "dist/index.js"),
  SEARCH("@codemirror/search", "codemirror__search", "6.5.11", "dist/index.js"),
  STATE("@codemirror/state", "codemirror__state", "6.7.1", "dist/index.js"),
  VIEW("@codemirror/view", "codemirror__view", "6.43.7", "dist/index.js"),
  LEZER_COMMON("@lezer/common", "lezer__common", "1.5.2", "dist/index.js"),
  LEZER_HIGHLIGHT("@lezer/highlight", "lezer__highlight", "1.2.3", "dist/index.js"),
  LEZER_LR("@lezer/lr", "lezer__lr", "1.4.10", "dist/index.js"),
  CLUSTER_BREAK(
      "@marijn/find-cluster-break", "marijn__find-cluster-break", "1.0.3", "src/index.js"),
  CRELT("crelt", "crelt", "1.0.7", "index.js"),
  STYLE_MOD("style-mod", "style-mod", "4.1.3", "src/style-mod.js"),
  W3C_KEYNAME("w3c-keyname", "w3c-keyname", "2.2.8", "index.js"),
  LIT_HTML("lit-html", "lit-html", "3.3.2", "lit-html.js");

  /** Files without dots but the last one, so that no path leaves the folder of its library. */
  private static final Pattern PLACE =
      Pattern.compile("([a-z0-9_-]+)/([0-9.]+)/([A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*\\.js)");

  private final String module;
  private final String jar;
  private final String version;
  private final String entry;

  ConsoleLibrary(String module, String jar, String version, String entry) {
    this.module = module;
    this.jar = jar;
    this.version = version;
    this.entry = entry;
  }

  /** The name of the WebJar. */
  String jar() {
    return jar;
  }

  /** The version of the WebJar. */
  String version() {
    return version;
  }

  /** The resource that its module's name means. */
  String entryResource() {
    return folder() + entry;
  }

  private String folder() {
    return "/META-INF/resources/webjars/" + jar + "/" + version + "/";
  }

  private String path(String file) {
    return ConsoleFiles.PATH + "lib/" + jar + "/" + version + "/" + file;
  }

  /** The resource of a path such as {@code crelt/1.0.7/index.js}; empty for others. */
  static Optional<String> resource(String path) {
    Matcher place = PLACE.matcher(path);
    return place.matches()
        ? Arrays.stream(values())
            .filter(one -> one.jar.equals(place.group(1)) && one.version.equals(place.group(2)))
            .map(one -> one.folder() + place.group(3))
            .findFirst()
        : Optional.empty();
  }

  /** The import map of the page. */
  static String importMap() {
    return JsonText.object(
        out -> {
          out.writeObjectPropertyStart("imports");
          for (ConsoleLibrary library : values()) {
            out.writeStringProperty(library.module, library.path(library.entry));
          }
          out.writeStringProperty(LIT_HTML.module + "/", LIT_HTML.path(""));
          out.writeEndObject();
        });
  }
}
