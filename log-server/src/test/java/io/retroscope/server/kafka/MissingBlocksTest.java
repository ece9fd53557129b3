// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.server.kafka.ReadBatch.Reached;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.run.Incarnation;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class MissingBlocksTest {
  private static final long LATER = MissingBlocks.PATIENCE_NANOS + 1;

  @TempDir Path folder;
  private long now = 1_000_000;
  private EventStore store;
  private IngestState state;
  private MissingBlocks missing;

  @BeforeEach
  void open() {
    store = EventStore.open(folder, StoreOptions.DEFAULT, () -> 1_000_000_000L);
    state = new IngestState(KafkaOptions.of(Map.of(), "t"), () -> now, 1_000);
    missing = new MissingBlocks(store, state);
    state.progress.assigned(topic(), Map.of(0, new Reached(0, -1)));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void check_blocksThatTheTopicDoesNotHold_areDeclaredLostAfterSomePatience() {
    store(block(4));
    heard();
    missing.check(now);
    now += LATER;
    missing.check(now);
    // The topic has not been read up to here yet: the blocks may still be in it.
    assertThat(run().gapCount()).isEqualTo(3);
    state.progress.probed(topic());
    missing.check(now);

    assertThat(run().gapCount()).isZero();
    assertThat(run().frontier()).isEqualTo(HlcTimestamp.pack(40));
    assertThat(store.lost())
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.firstNumber()).isEqualTo(1);
              assertThat(lost.lastNumber()).isEqualTo(3);
            });
  }

  @Test
  void check_blocksThatAreDeclaredLost_areLogged() {
    Logger logger = (Logger) LoggerFactory.getLogger(MissingBlocks.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      store(block(4));
      heard();
      missing.check(now);
      now += LATER;
      state.progress.probed(topic());
      missing.check(now);
    } finally {
      logger.detachAppender(lines);
    }

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "blocks 1 to 3 of node a, incarnation i, are not in the topic: treating them as lost,"
                + " so that live queries continue");
  }

  @Test
  void check_idleNodeWhoseBlocksWereRemoved_isNotWaitedFor() {
    store(EventBlock.heartbeat("a", "i", 7, HlcTimestamp.pack(70), 0));
    heard();
    missing.check(now);
    now += LATER;
    state.progress.probed(topic());
    missing.check(now);

    assertThat(run().frontier()).isEqualTo(HlcTimestamp.pack(70));
  }

  @Test
  void check_gapThatFillsAndAnother_beginsToWaitAnew() {
    store(block(2));
    heard();
    missing.check(now);
    store(block(1));
    store(block(5));
    now += LATER;
    state.progress.probed(topic());
    missing.check(now);

    assertThat(run().firstMissing()).isEqualTo(3);
    assertThat(run().lastMissing()).isEqualTo(4);
  }

  @Test
  void check_nodeThatSendsAnotherWay_isNoneOfOurs() {
    store(block(2));
    missing.check(now);
    now += LATER;
    state.progress.probed(topic());
    missing.check(now);

    assertThat(run().gapCount()).isEqualTo(1);
  }

  private TopicState topic() {
    return new TopicState(new Uuid(1, 1), Map.of(0, 0L), Map.of(0, 0L), now);
  }

  private void heard() {
    state.heard.add(new Incarnation.Name("a", "i"));
  }

  private Incarnation run() {
    assertThat(store.incarnations()).hasSize(1);
    return store.incarnations().iterator().next();
  }

  private static EventBlock block(int number) {
    long hlc = HlcTimestamp.pack(10L * number);
    Change change = new Change(Operation.SET, "x", Value.of(number));
    return new EventBlockBuilder()
        .incarnation("i", number)
        .add(new Event("a", "l", hlc, new StateChange(List.of(change))))
        .promise(hlc, number)
        .build();
  }

  private void store(EventBlock block) {
    store
        .append(
            new Submission.Frames(
                List.of(new Submission.EncodedFrame(block, EventBlockCodec.encode(block)))))
        .join();
  }
}
