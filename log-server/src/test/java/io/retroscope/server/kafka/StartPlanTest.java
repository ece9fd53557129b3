// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.server.kafka.ReadBatch.Reached;
import io.retroscope.server.store.disk.SourcePosition;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class StartPlanTest {
  private static final Uuid ID = new Uuid(1, 1);
  private static final String PREFIX = StartPlan.sourcePrefix("t", ID);

  /** Partition 0 contains the offsets 100 to 199. */
  private static final TopicState TOPIC = new TopicState(ID, Map.of(0, 100L), Map.of(0, 200L), 0);

  @Test
  void starts_nothingStored_isTheBeginning() {
    assertThat(start("stored", Map.of())).isEqualTo(new Reached(100, -1));
  }

  @Test
  void starts_stored_isThePositionWithItsEpoch() {
    assertThat(start("stored", stored(ID, 150))).isEqualTo(new Reached(150, 7));
    assertThat(start("available", stored(ID, 150))).isEqualTo(new Reached(150, 7));
    assertThat(start("stored", stored(ID, 100))).isEqualTo(new Reached(100, 7));
    assertThat(start("stored", stored(ID, 200))).isEqualTo(new Reached(200, 7));
  }

  @Test
  void starts_storedOfAnotherTopicOfTheName_isTheBeginning() {
    assertThat(start("stored", stored(new Uuid(2, 2), 150))).isEqualTo(new Reached(100, -1));
  }

  @Test
  void starts_removedUnread_stopsUnlessAccepted() {
    assertThatThrownBy(() -> start("stored", stored(ID, 99)))
        .isInstanceOf(KafkaIngestException.class)
        .hasMessageContaining("records 99 to 99 of partition 0")
        .hasMessageContaining("--kafka-from available");
    assertThat(start("available", stored(ID, 99))).isEqualTo(new Reached(100, -1));
    assertThat(start("earliest", stored(ID, 99))).isEqualTo(new Reached(100, -1));
  }

  @Test
  void starts_beyondTheEnd_isTheBeginning() {
    assertThat(start("stored", stored(ID, 201))).isEqualTo(new Reached(100, -1));
  }

  @Test
  void starts_offset_mustBeThere() {
    assertThat(start("0:170", stored(ID, 150))).isEqualTo(new Reached(170, -1));
    assertThat(start("1:170", stored(ID, 150))).isEqualTo(new Reached(150, 7));
    assertThatThrownBy(() -> start("0:99", Map.of()))
        .isInstanceOf(KafkaIngestException.class)
        .hasMessageContaining("only 100 to 200: check --kafka-from");
  }

  @Test
  void starts_secondTime_continuesAndReplaysNothing() {
    StartPlan plan = new StartPlan("t", StartFrom.parse("earliest"));
    assertThat(plan.starts(TOPIC, Map.of(), stored(ID, 150))).containsEntry(0, reached(100));
    TopicState grown = new TopicState(ID, Map.of(0, 100L, 1, 0L), Map.of(0, 200L, 1, 9L), 0);
    assertThat(plan.starts(grown, Map.of(0, 180L), stored(ID, 150)))
        .containsEntry(0, reached(180))
        .containsEntry(1, reached(0));
    assertThat(plan.starts(TOPIC, Map.of(), stored(ID, 190))).containsEntry(0, new Reached(190, 7));
  }

  @Test
  void parse_nonsense_namesTheValidForms() {
    for (String wrong : new String[] {"", "latest", "0:", "0:1;1:2", "-1:5", "0:1,0:2"}) {
      assertThatThrownBy(() -> StartFrom.parse(wrong)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> StartFrom.parse("latest"))
        .hasMessage("expected stored, available, earliest or PARTITION:OFFSET,..., not \"latest\"");
    assertThat(StartFrom.parse("0:5, 3:0").offsets()).isEqualTo(Map.of(0, 5L, 3, 0L));
    for (String form : List.of("stored", "available", "earliest", "0:5,3:0")) {
      assertThat(StartFrom.parse(form)).hasToString(form);
    }
  }

  private static Reached reached(long next) {
    return new Reached(next, -1);
  }

  private static Reached start(String from, Map<String, SourcePosition> stored) {
    Map<Integer, Reached> starts =
        new StartPlan("t", StartFrom.parse(from)).starts(TOPIC, Map.of(), stored);
    assertThat(starts).containsOnlyKeys(0);
    return starts.values().iterator().next();
  }

  private static Map<String, SourcePosition> stored(Uuid id, long next) {
    String source = StartPlan.sourcePrefix("t", id) + 0;
    assertThat(PREFIX).startsWith("kafka/t/");
    return Map.of(source, new SourcePosition(source, next, 7));
  }
}
