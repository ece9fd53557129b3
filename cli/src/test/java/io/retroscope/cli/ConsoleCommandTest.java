// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ConsoleCommandTest {
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+/");

  @TempDir private Path folder;

  @Test
  void console_textLogs_areServedWithDerivedStampsNamed() throws Exception {
    Path log = folder.resolve("web.log");
    Files.writeString(
        log,
        "2026-11-20T18:40:00.000Z INFO started\n2026-11-20T18:40:01.000Z WARN slow <script>\n");
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Thread command =
        new Thread(
            () ->
                Retroscope.run(
                    new PrintWriter(out),
                    new PrintWriter(err),
                    Map.of(),
                    "console",
                    log.toString(),
                    "--no-browser"));
    command.start();
    try {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> ADDRESS.matcher(out.toString()).find() || !command.isAlive());
      Matcher address = ADDRESS.matcher(out.toString());
      assertThat(address.find()).as(out + "" + err).isTrue();
      URI console = URI.create(address.group());
      assertThat(get(console, "/")).contains("<title>Retroscope</title>");
      assertThat(get(console, "/v1/recording")).contains("started", "\\u003cscript>");
      // The words of the shell.
      String warning = "derived stamps: times and order are those of the lines";
      assertThat(get(console, "/v1/query?query=SELECT%20message%20FROM%20app")).contains(warning);
      assertThat(get(console, "/v1/session")).contains(warning);
    } finally {
      command.interrupt();
      command.join();
    }
  }

  private static String get(URI console, String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(console.resolve(path)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  @Test
  void console_withoutFiles_namesTheServersOwnPage() {
    CommandRun run = CommandRun.of("console");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("a file is missing", "http://127.0.0.1:7340/");
  }

  @Test
  void console_fileThatIsMissing_endsBeforeItServes() {
    CommandRun run = CommandRun.of("console", folder.resolve("no.ndjson").toString());
    assertThat(run.exitCode()).isIn(1, 2);
    assertThat(run.err()).contains("no.ndjson");
    assertThat(run.out()).isEmpty();
  }
}
