// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;

/** The record in a data folder of the topic that its stores are of. */
final class TopicMark {
  private static final String FILE = "TOPIC";
  private static final String ID = "id";
  private static final String PARTITIONS = "partitions";

  private TopicMark() {}

  /**
   * Compares a folder with the topic; a new folder is marked.
   *
   * @throws StoreException if they do not belong together; nothing is changed then
   */
  static void check(Path folder, EventTopic topic) throws IOException {
    Path file = folder.resolve(FILE);
    if (!Files.exists(file)) {
      write(file, topic);
      return;
    }
    Properties mark = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      mark.load(in);
    }
    String id = mark.getProperty(ID, "");
    if (!id.equals(topic.id().toString())) {
      throw new StoreException(
          "the stores in %s are of topic id %s, and topic \"%s\" has id %s: it was created again, or --kafka names another cluster; nothing was changed; to begin with the present topic, give --data an empty folder"
              .formatted(folder, id, topic.options().topic(), topic.id()));
    }
    String count = mark.getProperty(PARTITIONS, "");
    if (!count.equals(Integer.toString(topic.partitionCount()))) {
      throw new StoreException(
          EventTopic.grown(
              topic.options().topic(), Integer.parseInt(count), topic.partitionCount()));
    }
  }

  private static void write(Path file, EventTopic topic) throws IOException {
    Properties mark = new Properties();
    mark.setProperty(ID, topic.id().toString());
    mark.setProperty(PARTITIONS, Integer.toString(topic.partitionCount()));
    Path draft = file.resolveSibling(FILE + ".new");
    try (Writer out = Files.newBufferedWriter(draft)) {
      mark.store(out, "The topic of the stores in this folder");
    }
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
