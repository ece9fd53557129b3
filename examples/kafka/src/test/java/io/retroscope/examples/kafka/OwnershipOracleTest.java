// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.DemoServer;
import io.retroscope.examples.stage.History;
import io.retroscope.instrumentation.kafka.HlcRebalanceListener;
import io.retroscope.recorder.Recorder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The oracle, over records of consumers in this virtual machine, with and without the hooks. */
final class OwnershipOracleTest {
  private static final long BEHIND_MICROS = -40_000;
  private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

  @TempDir Path folder;

  private DemoServer server;
  private final List<Loss> losses = new ArrayList<>();
  private Recorder shop;
  private Recorder consumer;

  @BeforeEach
  void open() throws Exception {
    server = DemoServer.start(folder, 0, Optional.empty());
    shop = recorder("shop", 0);
    consumer = recorder("c1", BEHIND_MICROS);
  }

  private Recorder recorder(String node, long skewMicros) {
    return Recorder.builder()
        .node(node)
        .server(server.uri())
        .physicalClock(PhysicalClock.system().skewedBy(skewMicros))
        .closeTimeout(Duration.ofMinutes(2))
        .build();
  }

  @AfterEach
  void close() {
    shop.close();
    consumer.close();
    server.close();
  }

  @Test
  void checks_stampsCarried_hold() throws Exception {
    own(consumer);
    consumer.receive("shop", place(1));
    consumer.log("shop").set("handled", 1);
    assertThat(failed(Set.of("orders-0"))).isEmpty();
  }

  @Test
  void checks_stampsNotCarried_findEffectsBeforeTheirCauses() throws Exception {
    own(consumer);
    place(1);
    consumer.log("shop").set("handled", 1);
    assertThat(failed(Set.of("orders-0")))
        .singleElement()
        .asString()
        .startsWith("no order was handled before it was placed (1 orders, 1 handled");
  }

  @Test
  void checks_orderNotHandled_findIt() throws Exception {
    own(consumer);
    consumer.receive("shop", place(1));
    consumer.log("shop").set("handled", 1);
    place(2);
    assertThat(failed(Set.of("orders-0")))
        .singleElement()
        .asString()
        .startsWith("no order was handled before it was placed (2 orders, 1 handled");
  }

  @Test
  void checks_twoOwnersWithoutAPause_findThem() throws Exception {
    own(consumer);
    Recorder other = recorder("c2", 0);
    own(other);
    other.close();
    consumer.receive("shop", place(1));
    consumer.log("shop").set("handled", 1);
    assertThat(failed(Set.of("orders-0")))
        .anySatisfy(
            statement -> assertThat(statement).startsWith("0 pauses, 1 stretches owned twice"));
  }

  /** A consumer that the machine kept from polling is an owner until its next poll, too. */
  @Test
  void checks_twoOwnersUntilALossThatIsNoted_hold() throws Exception {
    own(consumer);
    Recorder other = recorder("c2", 0);
    own(other);
    lose(other, "c2");
    other.close();
    consumer.receive("shop", place(1));
    consumer.log("shop").set("handled", 1);
    assertThat(failed(Set.of("orders-0")))
        .singleElement() // The coordinator knows nothing of c2.
        .asString()
        .startsWith("at the end");
  }

  @Test
  void checks_commitRefusedBeforeALoss_hold() throws Exception {
    Recorder other = recorder("c2", 0);
    own(other);
    other.log("group").set("refused", 1);
    lose(other, "c2");
    other.receive("shop", place(1));
    other.log("shop").set("handled", 1);
    other.close();
    assertThat(failed(Set.of()))
        .singleElement() // The coordinator knows nothing of c2.
        .asString()
        .startsWith("at the end");
  }

  /** A poll returned an order between the two, so that the loss is another matter. */
  @Test
  void checks_commitRefusedAndAnOrderHandledBeforeALoss_findIt() throws Exception {
    Recorder other = recorder("c2", 0);
    own(other);
    other.log("group").set("refused", 1);
    other.receive("shop", place(1));
    other.log("shop").set("handled", 1);
    lose(other, "c2");
    other.close();
    assertThat(failed(Set.of()))
        .anySatisfy(
            statement ->
                assertThat(statement)
                    .startsWith(
                        "the commit of each slow batch was refused (1 in all, 1 outside of pauses, 0"));
  }

  @Test
  void checks_otherOwnerAtTheCoordinator_findIt() throws Exception {
    own(consumer);
    consumer.receive("shop", place(1));
    consumer.log("shop").set("handled", 1);
    assertThat(failed(Set.of("orders-1")))
        .singleElement()
        .asString()
        .startsWith("at the end the recorded owners are those that the coordinator knows");
  }

  private void lose(Recorder recorder, String node) {
    long began = PhysicalClock.system().freshMicros();
    new HlcRebalanceListener(recorder.log("group")).onPartitionsLost(List.of(PARTITION));
    losses.add(new Loss(node, began, PhysicalClock.system().freshMicros()));
  }

  private static void own(Recorder recorder) {
    new HlcRebalanceListener(recorder.log("group")).onPartitionsAssigned(List.of(PARTITION));
  }

  private long place(long order) {
    shop.log("shop").set("placed", order);
    return shop.send("c1");
  }

  /** The statements that do not hold. */
  private List<String> failed(Set<String> partitions) throws Exception {
    shop.close();
    consumer.close();
    return new OwnershipOracle(new History(server), List.of(), losses)
        .checks(Map.of("c1", partitions)).stream()
            .filter(check -> !check.holds())
            .map(Check::statement)
            .toList();
  }
}
