// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A real Kafka broker with one topic, in a separate process on a loopback port. It ends with this
 * virtual machine, even if that is killed. Thread-safe.
 */
public final class BrokerProcess implements AutoCloseable {
  /** The only topic. */
  public static final String TOPIC = "retroscope";

  /** The time limit until clients can connect. */
  public static final Duration START_PATIENCE = Deadline.PATIENCE;

  private static final String MAIN_CLASS = "io.retroscope.broker.KafkaBrokerMain";
  private static final String BROKER_JAR = "kafka-broker/target/kafka-broker.jar";
  private static final int PARTITION_COUNT = 3;
  private static final Duration POLL = Duration.ofMillis(20);
  private static final List<String> QUICK_START =
      List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final ChildProcess process;
  private final Path ready;
  private final int port;
  private final Thread hook;

  private BrokerProcess(ChildProcess process, Path ready, int port) {
    this.process = process;
    this.ready = ready;
    this.port = port;
    this.hook = new Thread(process::kill, "broker-kill");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a broker and waits until clients can connect.
   *
   * @param folder for its data; created if necessary, not removed
   * @throws StageException if it does not start; no process is left running
   */
  public static BrokerProcess start(Path folder) throws StageException, InterruptedException {
    return start(folder, TOPIC, PARTITION_COUNT);
  }

  /**
   * Starts a broker with another topic.
   *
   * @param settings of the broker, each {@code name=value}
   * @throws StageException if it does not start; no process is left running
   */
  public static BrokerProcess start(
      Path folder, String topic, int partitionCount, String... settings)
      throws StageException, InterruptedException {
    BuiltProject project = BuiltProject.locate(BROKER_JAR);
    int port = LoopbackPorts.take(1, new Random())[0];
    Path ready = folder.resolve("ready");
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new StageException("cannot write to " + folder + ": " + e.getMessage(), e);
    }
    List<String> command =
        ChildProcess.command(
            QUICK_START,
            project.launcher().resolve("*") + File.pathSeparator + project.file(BROKER_JAR),
            MAIN_CLASS,
            Stream.concat(
                    Stream.of(
                        folder.resolve("data").toString(),
                        Integer.toString(port),
                        topic,
                        Integer.toString(partitionCount),
                        ready.toString()),
                    Arrays.stream(settings))
                .toArray(String[]::new));
    BrokerProcess broker =
        new BrokerProcess(
            new ChildProcess("the Kafka broker", folder, "broker.out", command), ready, port);
    try {
      broker.start();
      return broker;
    } catch (StageException | InterruptedException e) {
      broker.close();
      throw e;
    }
  }

  /**
   * Restarts it, on the same port and data, and waits until clients can connect.
   *
   * @throws StageException if it ends or the time limit elapses before that
   */
  public void start() throws StageException, InterruptedException {
    try {
      Files.deleteIfExists(ready);
    } catch (IOException e) {
      throw new StageException("cannot delete " + ready + ": " + e.getMessage(), e);
    }
    process.start();
    Deadline deadline = Deadline.in(START_PATIENCE);
    while (!Files.exists(ready)) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "the Kafka broker did not come up within %d s%s"
                .formatted(START_PATIENCE.toSeconds(), process.complaint()));
      }
      Deadline.sleep(POLL);
    }
  }

  /**
   * Checks that the process runs.
   *
   * @throws StageException if it does not
   */
  public void checkRunning() throws StageException {
    if (!process.isRunning()) {
      throw new StageException("the Kafka broker ended" + process.complaint());
    }
  }

  /** The value of {@code bootstrap.servers} for clients. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** The address with which a service sends its events to the topic. */
  public URI uri() {
    return URI.create("kafka://" + address() + "/" + TOPIC);
  }

  /** The process, to be killed or paused. */
  public ChildProcess process() {
    return process;
  }

  @Override
  public void close() {
    process.close();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The virtual machine is shutting down: the hook has run or will run, without effect.
    }
  }
}
