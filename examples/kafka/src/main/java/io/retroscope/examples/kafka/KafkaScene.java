// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.examples.kafka.KafkaCase.Fault;
import io.retroscope.examples.stage.BrokerProcess;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.NodeProcesses;
import io.retroscope.examples.stage.NodeProgram;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A broker and two consumers, each a process. */
final class KafkaScene implements Scene {
  static final String TOPIC = "orders";
  static final int PARTITION_COUNT = 4;
  static final List<String> CONSUMERS = List.of("c1", "c2");

  private final BrokerProcess broker;
  private final URI server;
  private final List<Fault> faults;
  private final NodeProcesses consumers;
  private final List<Pause> pauses = new ArrayList<>();
  private final AtomicLong orderCount = new AtomicLong();
  private final GroupView group;

  private KafkaScene(BrokerProcess broker, URI server, Path folder, List<Fault> faults) {
    this.broker = broker;
    this.server = server;
    this.consumers = new NodeProcesses(folder, server);
    this.faults = faults;
    this.group = new GroupView(broker.address());
  }

  static KafkaScene start(
      BrokerProcess broker,
      Path folder,
      URI server,
      String consumerClass,
      List<Fault> faults,
      long skewMicros)
      throws StageException, IOException, InterruptedException {
    KafkaScene scene = new KafkaScene(broker, server, folder, faults);
    try {
      for (String consumer : CONSUMERS) {
        scene.consumers.start(
            consumer,
            NodeProgram.of(consumerClass, broker.address(), TOPIC).withSkewMicros(skewMicros));
      }
      scene.group.awaitShared();
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  @Override
  public List<String> nodes() {
    return CONSUMERS;
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "broker      %s, topic %s with %d partitions"
            .formatted(broker.address(), TOPIC, PARTITION_COUNT),
        "c1, c2      consumers of one group, max.poll.interval.ms=2000",
        faults.isEmpty()
            ? "            without faults"
            : "            in turn one of them takes 3.5 s for a batch, or is stopped for 3.5 s");
  }

  @Override
  public Work begin() {
    return OrderWork.begin(this, server, broker.address(), faults);
  }

  long nextOrder() {
    return orderCount.incrementAndGet();
  }

  /** The number of the last order. */
  long orderCount() {
    return orderCount.get();
  }

  /** Adds a pause that is over. */
  synchronized void paused(Pause pause) {
    pauses.add(pause);
  }

  /** The pauses so far. */
  synchronized List<Pause> pauses() {
    return List.copyOf(pauses);
  }

  ChildProcess consumer(String node) {
    return consumers.process(node);
  }

  /** The file that makes the consumer's batches slow while it exists. */
  Path slowFile(String node) {
    return consumers.file(node, OrderConsumer.SLOW_FILE);
  }

  GroupView group() {
    return group;
  }

  @Override
  public void checkRunning() throws StageException {
    broker.checkRunning();
    consumers.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    List<Loss> losses = new ArrayList<>();
    for (String consumer : CONSUMERS) {
      losses.addAll(Loss.read(consumers.file(consumer, "")));
    }
    return new OwnershipOracle(history, pauses(), losses).checks(group.partitionsByConsumer());
  }

  @Override
  public void close() {
    group.close();
    consumers.close();
    broker.close();
  }
}
