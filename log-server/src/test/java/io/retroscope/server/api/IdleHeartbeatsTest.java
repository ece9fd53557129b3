// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.EventBlock;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventIntake;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.SuspectInputs;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.StoreConflictException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of heartbeats that are stored together. */
class IdleHeartbeatsTest {
  private static final String REFUSED = "refused";

  private final List<String> stored = new ArrayList<>();
  private int attempts;

  /** Refuses a submission as a whole, before or after it has begun to store it. */
  private final class Intake implements EventIntake {
    private final boolean isAtOnce;

    Intake(boolean isAtOnce) {
      this.isAtOnce = isAtOnce;
    }

    @Override
    public CompletableFuture<Receipt> append(Submission submission, Charge charge) {
      List<String> nodes =
          ((Submission.Frames) submission)
              .frames().stream().map(frame -> ((EventBlock) frame.content()).node()).toList();
      if (!nodes.contains(REFUSED)) {
        stored.addAll(nodes);
        return CompletableFuture.completedFuture(Receipt.NOTHING);
      }
      StoreConflictException refusal = new StoreConflictException("refused");
      if (isAtOnce) {
        throw refusal;
      }
      return CompletableFuture.failedFuture(refusal);
    }

    @Override
    public SuspectInputs suspects() {
      throw new AssertionError("no input is decoded here");
    }
  }

  private static EncodedFrame heartbeat(String node) {
    return new EncodedFrame(EventBlock.heartbeat(node, "run", 0, 1, 0), new byte[0]);
  }

  /** A topic whose brokers do not answer. */
  private final class Unreachable implements EventIntake {
    @Override
    public CompletableFuture<Receipt> append(Submission submission, Charge charge) {
      attempts++;
      CompletableFuture<Receipt> failed =
          CompletableFuture.failedFuture(new StoreException("the topic could not be written"));
      return failed.thenApply(receipt -> receipt);
    }

    @Override
    public SuspectInputs suspects() {
      throw new AssertionError("no input is decoded here");
    }
  }

  private void add(EventIntake intake) {
    MemoryBudget memory = MemoryBudget.ofProcess();
    try (LiveListeners listeners = new LiveListeners()) {
      LiveListeners.Listener live = listeners.listen();
      new IdleHeartbeats(intake, memory, listeners)
          .add(List.of(heartbeat("a"), heartbeat(REFUSED), heartbeat("b")));
      live.close();
      assertThat(memory.usedBytes()).isZero();
    }
  }

  @Test
  void refusedHeartbeat_doesNotAffectTheOthers() {
    add(new Intake(false));
    assertThat(stored).containsExactly("a", "b");
  }

  @Test
  void heartbeatThatIsRefusedAtOnce_doesNotAffectTheOthers() {
    add(new Intake(true));
    assertThat(stored).containsExactly("a", "b");
  }

  @Test
  void heartbeatsThatCannotBeStoredNow_areDroppedTogether() {
    add(new Unreachable());
    assertThat(attempts).isEqualTo(1);
  }
}
