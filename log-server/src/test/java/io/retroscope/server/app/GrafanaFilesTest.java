// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the queries of the provisioned files for Grafana against a server. */
@Timeout(60)
class GrafanaFilesTest {
  private static final Path FILES = Path.of("../examples/grafana");
  private static final JsonMapper JSON = JsonMapper.shared();

  private static final String EVENTS =
      """
      {"node":"a","log":"setd","hlc":"1795200000000001.0","set":{"r1":1}}
      {"node":"b","log":"setd","hlc":"1795200000000011.0","set":{"r1":2}}
      """;

  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server = new ServerExtension(() -> ServerConfig.in(directory));

  private final HttpProbe http = new HttpProbe(server);

  @Test
  void dashboard_metrics_areExported() throws Exception {
    Set<String> wanted =
        Pattern.compile("retroscope_[a-z_]+")
            .matcher(Files.readString(FILES.resolve("dashboards/server.json")))
            .results()
            .map(found -> found.group())
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> exported =
        http.get("/metrics")
            .body()
            .lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split("[ {]", 2)[0])
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(wanted).hasSizeGreaterThan(20);
    assertThat(exported).containsAll(wanted);
  }

  @Test
  void dashboard_queries_haveTheColumnsThatItReads() throws Exception {
    http.events(EVENTS);
    JsonNode dashboard = JSON.readTree(Files.readString(FILES.resolve("dashboards/values.json")));
    int count = 0;
    for (JsonNode panel : dashboard.get("panels")) {
      for (JsonNode target : panel.get("targets")) {
        JsonNode answer = answer(dashboard, target);
        assertThat(answer.has("problem")).isFalse();
        JsonNode root = answer.get(target.get("root_selector").asString());
        assertThat(root).as(target.toString()).isNotEmpty();
        for (JsonNode column : target.get("columns")) {
          assertThat(root.get(0).has(column.get("selector").asString())).isTrue();
        }
        count++;
      }
    }
    assertThat(count).isEqualTo(2);
  }

  /** Puts the values of Grafana's variables into the parameters, as Grafana does. */
  private JsonNode answer(JsonNode dashboard, JsonNode target) throws Exception {
    List<String> parameters = new ArrayList<>();
    for (JsonNode parameter : target.get("url_options").get("params")) {
      String value =
          parameter
              .get("value")
              .asString()
              .replace("${__from:date:iso}", "2026-11-20T18:40:00.000Z")
              .replace("${__to:date:iso}", "2037-11-20T18:45:00.000Z");
      for (JsonNode variable : dashboard.get("templating").get("list")) {
        value =
            value.replace("$" + variable.get("name").asString(), variable.get("query").asString());
      }
      parameters.add(
          parameter.get("key").asString() + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
    assertThat(target.get("url").asString()).endsWith("/v1/query");
    HttpProbe.Reply reply = http.get("/v1/query?" + String.join("&", parameters));
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    return JSON.readTree(reply.body());
  }
}
