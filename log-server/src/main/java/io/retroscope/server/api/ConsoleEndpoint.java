// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.console.ConsoleFile;
import io.retroscope.console.ConsoleFiles;
import io.retroscope.sonify.bank.PatchBank;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code GET /} and {@code GET /console/...}: the files of the page. Thread-safe. */
final class ConsoleEndpoint {
  private static final String PAGE = "/";

  /** The path of a library has its version. */
  private static final String FOR_GOOD = "public, max-age=31536000, immutable";

  private static final String CHECKED = "no-cache";

  /** The recipes of the sounds, which the page computes itself. */
  private static final String PATCHES = "sound/patches.json";

  private final ConsoleFiles files = new ConsoleFiles(Map.of(PATCHES, PatchBank.recipes()));

  List<Route> routes() {
    return List.of(
        new Route.Get(PAGE, Access.OPEN, this::index),
        new Route.Get(ConsoleFiles.PATH + "<file>", Access.OPEN, this::file));
  }

  /** Whether a route is that of the page itself. */
  static boolean isPage(Route route) {
    return route.path().equals(PAGE);
  }

  private void index(Context context) {
    context.header("Content-Security-Policy", files.policy());
    answer(context, files.index());
  }

  private void file(Context context) {
    Optional<ConsoleFile> file = files.find(context.pathParam("file"));
    if (file.isEmpty()) {
      throw ProblemException.of(404, "Nothing is here", "the console has no such file");
    }
    answer(context, file.get());
  }

  private static void answer(Context context, ConsoleFile file) {
    context.header("X-Content-Type-Options", "nosniff");
    context.header("Referrer-Policy", "no-referrer");
    context.header("Cross-Origin-Resource-Policy", "same-origin");
    context.header("Vary", "Accept-Encoding");
    context.header("ETag", file.tag());
    context.header("Cache-Control", file.isPinned() ? FOR_GOOD : CHECKED);
    if (EntityTag.isKnown(context, file.tag())) {
      context.status(304);
    } else if (accepts(context, "gzip")) {
      context.header("Content-Encoding", "gzip");
      context.contentType(file.mediaType()).result(file.gzipped());
    } else {
      context.contentType(file.mediaType()).result(file.bytes());
    }
  }

  /** Whether the client accepts an encoding; one with a quality of 0 is none that it accepts. */
  static boolean accepts(Context context, String encoding) {
    String accepted = Optional.ofNullable(context.header("Accept-Encoding")).orElse("");
    return Arrays.stream(accepted.split(",", -1))
        .map(String::strip)
        .filter(one -> one.split(";", 2)[0].strip().equalsIgnoreCase(encoding))
        .anyMatch(one -> !one.matches(".*;\\s*q=0(\\.0*)?"));
  }
}
