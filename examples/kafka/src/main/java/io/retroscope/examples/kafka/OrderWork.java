// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.kafka.KafkaCase.Fault;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import io.retroscope.instrumentation.kafka.HlcProducerInterceptor;
import io.retroscope.instrumentation.kafka.HlcRecorderSetting;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Orders to all partitions, and the pauses of consumers. */
final class OrderWork implements Work {
  private static final Duration ORDER_INTERVAL = Duration.ofMillis(20);
  private static final Duration CALM = Duration.ofMillis(1_500);
  private static final Duration PAUSE = Duration.ofMillis(3_500);

  /** Between the coordinator's decision for the other consumer and the end of the pause. */
  private static final Duration OVERLAP = Duration.ofSeconds(1);

  private final KafkaScene scene;
  private final List<Fault> faults;
  private final Recorder recorder;
  private final KafkaProducer<String, Long> producer;
  private final Thread orders = new Thread(this::placeOrders, "orders");
  private final Thread pauses = new Thread(this::pauseInTurn, "pauses");
  private volatile boolean finishing;
  private volatile boolean ended;
  private volatile @Nullable Throwable failure;

  private OrderWork(KafkaScene scene, URI server, String brokers, List<Fault> faults) {
    this.scene = scene;
    this.faults = faults;
    this.recorder = Recorder.builder().node("shop").server(server).build();
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                brokers,
                "key.serializer",
                StringSerializer.class.getName(),
                "value.serializer",
                LongSerializer.class.getName(),
                "linger.ms",
                "0",
                "interceptor.classes",
                HlcProducerInterceptor.class.getName(),
                HlcRecorderSetting.RECORDER,
                recorder));
  }

  static OrderWork begin(KafkaScene scene, URI server, String brokers, List<Fault> faults) {
    OrderWork work = new OrderWork(scene, server, brokers, faults);
    work.orders.setDaemon(true);
    work.pauses.setDaemon(true);
    work.orders.start();
    work.pauses.start();
    return work;
  }

  private void placeOrders() {
    EventLog shop = recorder.log("shop");
    try {
      while (!ended) {
        long number = scene.nextOrder();
        Deadline next = Deadline.in(ORDER_INTERVAL);
        shop.set("placed", number);
        int partition = (int) (number % KafkaScene.PARTITION_COUNT);
        // An order that does not arrive is never handled, which ends the run.
        Future<RecordMetadata> unused =
            producer.send(new ProducerRecord<>(KafkaScene.TOPIC, partition, "order", number));
        next.await();
      }
    } catch (InterruptedException | InterruptException e) {
      // Closed.
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void pauseInTurn() {
    try {
      for (int turn = 0; !faults.isEmpty() && !finishing; turn++) {
        Deadline.sleep(CALM);
        if (finishing) {
          return;
        }
        pause(faults.get(turn % faults.size()), turn % KafkaScene.CONSUMERS.size());
      }
    } catch (InterruptedException e) {
      // Closed.
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void pause(Fault fault, int index)
      throws StageException, IOException, InterruptedException {
    String slow = KafkaScene.CONSUMERS.get(index);
    String other = KafkaScene.CONSUMERS.get(1 - index);
    long began = PhysicalClock.system().freshMicros();
    Deadline end = Deadline.in(PAUSE);
    begin(fault, slow);
    scene.group().awaitSole(other);
    Deadline.sleep(OVERLAP);
    end.await();
    long ended = PhysicalClock.system().freshMicros();
    end(fault, slow);
    scene.group().awaitShared();
    scene.paused(new Pause(fault, slow, began, ended, PhysicalClock.system().freshMicros()));
  }

  private void begin(Fault fault, String node) throws StageException, IOException {
    if (fault == Fault.STOPPED) {
      scene.consumer(node).pause();
    } else {
      Files.createFile(scene.slowFile(node));
    }
  }

  private void end(Fault fault, String node) throws StageException, IOException {
    if (fault == Fault.STOPPED) {
      scene.consumer(node).resume();
    } else {
      Files.delete(scene.slowFile(node));
    }
  }

  @Override
  public String status() {
    return "%d orders   %d pauses".formatted(scene.orderCount(), scene.pauses().size());
  }

  @Override
  public void checkRunning() throws StageException {
    Throwable cause = failure;
    if (cause != null) {
      throw new StageException("a pause or an order failed: " + cause.getMessage(), cause);
    }
  }

  @Override
  public void finish() throws StageException, InterruptedException {
    finishing = true;
    pauses.join();
    ended = true;
    orders.join();
    checkRunning();
    producer.flush();
    scene.group().awaitCommitted(scene.orderCount());
    close();
  }

  @Override
  public void close() {
    ended = true;
    orders.interrupt();
    pauses.interrupt();
    try {
      orders.join();
      pauses.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producer.close(Duration.ofSeconds(5));
    recorder.close();
  }
}
