// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** The rows of a live query over one connection. {@link #until} may be called by any thread. */
final class LiveRows implements Callable<List<String>> {
  private final HttpProbe http;
  private final String query;
  private volatile long until = Long.MAX_VALUE;

  LiveRows(HttpProbe http, String query) {
    this.http = http;
    this.query = query;
  }

  /** Ends the query once everything up to the stamp was answered. */
  void until(long hlc) {
    until = hlc;
  }

  /** The rows, without the aligned times, which later evidence may refine. */
  @Override
  public List<String> call() throws IOException, InterruptedException {
    List<String> rows = new ArrayList<>();
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(http.stream(query, ""), StandardCharsets.UTF_8))) {
      String type = "";
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("event: ")) {
          type = line.substring(7);
        } else if (line.startsWith("data: ")) {
          String data = line.substring(6);
          if (!type.equals("progress")) {
            rows.add(withoutTimes(data));
          } else if (hlc(data) >= until) {
            return rows;
          }
        }
      }
    }
    throw new IOException("the stream ended after " + rows.size() + " rows");
  }

  private static long hlc(String data) {
    return HlcTimestamp.parse(data.replaceAll(".*\"hlc\":\"([0-9.]+)\".*", "$1"));
  }

  static String withoutTimes(String row) {
    return row.replaceAll("\"(time|endTime|uncertaintyMicros)\":(\"[^\"]*\"|[0-9]+|null),?", "");
  }
}
