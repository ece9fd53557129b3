// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreTotals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;

/** {@code /v1/admin/...}: maintenance of the store while the server runs. Thread-safe. */
final class AdminEndpoint {
  /** The media types of a request's body. */
  static final List<String> MEDIA_TYPES = List.of("application/json");

  private static final int MAX_BODY_BYTES = 64 * 1024;
  private static final Pattern NAME = Pattern.compile("\\w[\\w.-]{0,63}");

  private final EventStore store;
  private final Optional<Path> backupFolder;
  private final Semaphore working = new Semaphore(1);

  /**
   * The endpoints.
   *
   * @param backupFolder the parent folder of backups
   */
  AdminEndpoint(EventStore store, Optional<Path> backupFolder) {
    this.store = store;
    this.backupFolder = backupFolder;
  }

  List<Route> routes() {
    return List.of(
        new Route.Get("/v1/admin/stats", Access.ADMIN, this::stats),
        new Route.Post("/v1/admin/compact", Access.ADMIN, MEDIA_TYPES, alone(this::compact)),
        new Route.Post("/v1/admin/backup", Access.ADMIN, MEDIA_TYPES, alone(this::backup)));
  }

  /** Runs one operation at a time, because each takes minutes and much disk bandwidth. */
  private Handler alone(Handler work) {
    return context -> {
      if (!working.tryAcquire()) {
        context.header("Retry-After", "10");
        throw ProblemException.of(
            409,
            "The store is busy",
            "a backup or compaction is running; try again when it has ended");
      }
      try {
        work.handle(context);
      } finally {
        working.release();
      }
    };
  }

  private void stats(Context context) {
    StoreTotals totals = store.totals();
    context.contentType("application/json").result(JsonText.tree(totals.fields()));
  }

  private void compact(Context context) {
    store.compact();
    context
        .contentType("application/json")
        .result(JsonText.object(out -> out.writeBooleanProperty("compacted", true)));
  }

  private void backup(Context context) throws IOException {
    Path folder =
        backupFolder.orElseThrow(
            () ->
                ProblemException.of(
                    409,
                    "There is no folder for backups",
                    "start the server with --backup-dir FOLDER to allow backups over HTTP"));
    String name = name(context);
    Path destination = folder.resolve(name);
    if (Files.isSymbolicLink(destination)) {
      throw refused("\"" + name + "\" is a link, which may lead out of the folder for backups");
    }
    store.backup(destination);
    context
        .contentType("application/json")
        .result(JsonText.object(out -> out.writeStringProperty("backup", name)));
  }

  private static String name(Context context) throws IOException {
    byte[] body = context.req().getInputStream().readNBytes(MAX_BODY_BYTES);
    try {
      if (JsonValues.parse(new String(body, StandardCharsets.UTF_8)) instanceof StructValue object
          && object.fields().get("name") instanceof StringValue name
          && NAME.matcher(name.value()).matches()) {
        return name.value();
      }
    } catch (IllegalArgumentException e) {
      // Handled below, as for other invalid bodies.
    }
    throw refused(
        "the body must be like {\"name\":\"nightly\"}; a name has up to 64 letters, digits and"
            + " . _ - and begins with a letter, a digit or _");
  }

  private static ProblemException refused(String detail) {
    return ProblemException.of(400, "The backup was refused", detail);
  }
}
