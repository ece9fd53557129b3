// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.alert.AlertSettings;
import io.retroscope.rql.alert.Edge;
import io.retroscope.rql.alert.Notice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class AlertMessageTest {
  private static final long RISE = HlcTimestamp.pack(1_795_200_000_200_000L);
  private static final Path PAGE = Path.of("../docs/alerts.md");

  @Test
  void text_ofAFiringMessage_isThatOnThePage() throws IOException {
    AlertSettings settings =
        new AlertSettings(
            "page", 0, 0, List.of(), "", "https://wiki.example/raft", false, Map.of());
    AlertDefinition alert =
        new AlertDefinition("one_leader", "At most one node leads.", settings, "", "");

    AlertMessage message = AlertMessage.of(alert, firing(), "", "ok", "http://127.0.0.1:7340");

    String page = Files.readString(PAGE);
    int start = page.indexOf("FIRING one_leader\n");
    assertThat(start).isPositive();
    assertThat(page.substring(start, page.indexOf("\n```", start))).isEqualTo(message.toText());
  }

  private static Notice firing() {
    Map<String, Value> role = new LinkedHashMap<>();
    role.put("a", Value.of("leader"));
    role.put("b", Value.of("leader"));
    Edge rise =
        new Edge(
            Edge.Kind.RISE,
            "",
            RISE,
            RISE,
            0,
            "2026-11-20T18:40:00.200000Z",
            OptionalLong.of(1_250),
            false,
            new StructValue(Map.of("role", new StructValue(role))));
    String episode = "one_leader@" + HlcTimestamp.text(RISE);
    return new Notice(
        episode, "", Notice.Kind.FIRING, 1, false, "", Optional.of(rise), Optional.empty());
  }
}
