// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventIntake;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.StoreConflictException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * The heartbeats of nodes that record nothing. While there is no live query they are stored
 * together a few times per second, because waking the writing thread costs more than storing one.
 * Thread-safe.
 */
final class IdleHeartbeats {
  /** Far shorter than the interval of heartbeats while there is no live query. */
  private static final long GATHER_MILLIS = 100;

  private final EventIntake intake;
  private final MemoryBudget memory;
  private final LiveListeners listeners;
  private List<EncodedFrame> gathered = new ArrayList<>();

  IdleHeartbeats(EventIntake intake, MemoryBudget memory, LiveListeners listeners) {
    this.intake = intake;
    this.memory = memory;
    this.listeners = listeners;
  }

  /** Stores heartbeats soon. They may be dropped, because the next ones replace them. */
  void add(List<EncodedFrame> heartbeats) {
    if (listeners.isAnyone()) {
      store(heartbeats);
    } else if (gather(heartbeats)) {
      listeners.later(() -> store(takeAll()), GATHER_MILLIS);
    }
  }

  /** Returns whether they are the first since all heartbeats were last taken. */
  private synchronized boolean gather(List<EncodedFrame> frames) {
    boolean first = gathered.isEmpty();
    gathered.addAll(frames);
    return first && !gathered.isEmpty();
  }

  private synchronized List<EncodedFrame> takeAll() {
    List<EncodedFrame> all = gathered;
    gathered = new ArrayList<>();
    return all;
  }

  private void store(List<EncodedFrame> frames) {
    Charge charge = memory.charge();
    try {
      var unused =
          intake
              .append(new Submission.Frames(frames), charge)
              .whenComplete(
                  (receipt, failure) -> {
                    charge.close();
                    if (failure != null && isAboutOne(failure)) {
                      storeSeparately(frames);
                    }
                  });
    } catch (StoreConflictException e) {
      charge.close();
      storeSeparately(frames);
    } catch (StoreBusyException | StoreException e) {
      charge.close(); // A dropped heartbeat is replaced by the next one.
    }
  }

  /** A store that cannot write, or a topic, would be burdened with each heartbeat in vain. */
  private static boolean isAboutOne(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return !(cause instanceof StoreException || cause instanceof StoreBusyException);
  }

  /** A refused heartbeat must not affect the others. */
  private void storeSeparately(List<EncodedFrame> frames) {
    if (frames.size() > 1) {
      frames.forEach(frame -> store(List.of(frame)));
    }
  }
}
