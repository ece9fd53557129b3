// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventIntake;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.SuspectInputs;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.Incarnation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of blocks that no sender will send. */
@Timeout(60)
class StuckRunsTest {
  private long nowNanos;
  private final List<Submission> submitted = new ArrayList<>();
  private final WatermarkTracker watermarks =
      new WatermarkTracker(() -> nowNanos, () -> 0, TimeUnit.SECONDS.toNanos(1), List.of());

  /** The next answers, if they are not given at once. */
  private final Deque<CompletableFuture<Receipt>> answers = new ArrayDeque<>();

  private final EventIntake intake =
      new EventIntake() {
        @Override
        public CompletableFuture<Receipt> append(Submission submission, Charge charge) {
          submitted.add(submission);
          return answers.isEmpty()
              ? CompletableFuture.completedFuture(new Receipt(0, 0, 0))
              : answers.remove();
        }

        @Override
        public SuspectInputs suspects() {
          throw new AssertionError("it is no input");
        }
      };

  /** Block 1 of a node is missing, and block 2 is there. */
  private void hear(String node) {
    Incarnation run = new Incarnation(new Incarnation.Name(node, "i"));
    run.cover(2, 2);
    run.promise(2, HlcTimestamp.pack(100));
    watermarks.heard(List.of(run));
    watermarks.published();
    watermarks.advance();
  }

  @Test
  void declareLost_missingForLong_isDeclaredForOwnNodesOnly() {
    hear("ours");
    hear("theirs");
    StuckRuns stuck =
        new StuckRuns(watermarks, intake, new MemoryBudget(1 << 20), node -> node.equals("ours"));
    stuck.declareLost();
    assertThat(submitted).as("they may still come").isEmpty();
    nowNanos += TimeUnit.SECONDS.toNanos(31);
    watermarks.advance();
    stuck.declareLost();
    assertThat(submitted)
        .singleElement()
        .asString()
        .contains("node=ours", "firstNumber=1", "lastNumber=1");
  }

  /** A server of a cluster stores what it has declared once it has read it from the topic. */
  @Test
  void declareLost_notStoredYet_isDeclaredOnce() {
    hear("ours");
    nowNanos += TimeUnit.SECONDS.toNanos(31);
    StuckRuns stuck = new StuckRuns(watermarks, intake, new MemoryBudget(1 << 20), node -> true);
    watermarks.advance();
    stuck.declareLost();
    stuck.declareLost();
    assertThat(submitted).hasSize(1);
  }

  /** The watermark advances on the same thread. */
  @Test
  void declareLost_theStoreDoesNotAnswer_doesNotWaitAndDeclaresAgainAfterAFailure() {
    hear("ours");
    nowNanos += TimeUnit.SECONDS.toNanos(31);
    MemoryBudget memory = new MemoryBudget(1 << 20);
    StuckRuns stuck = new StuckRuns(watermarks, intake, memory, node -> true);
    watermarks.advance();
    CompletableFuture<Receipt> answer = new CompletableFuture<>();
    answers.add(answer);
    stuck.declareLost();
    stuck.declareLost();
    assertThat(submitted).hasSize(1);
    assertThat(answer.completeExceptionally(new StoreException("full, on purpose"))).isTrue();
    stuck.declareLost();
    assertThat(submitted).hasSize(2);
    stuck.declareLost();
    assertThat(submitted).as("stored at once").hasSize(2);
  }
}
