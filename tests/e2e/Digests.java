import java.security.MessageDigest;
import java.util.Arrays;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that hand blocks to each other and check the digests of what came, until SIGTERM; then says what it found. */
public class Digests {
    static volatile boolean over;
    static final AtomicLong checked = new AtomicLong(), wrong = new AtomicLong();

    record Block(byte[] bytes, byte[] digest) { }

    static byte[] digest(byte[] bytes) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    static void make(SynchronousQueue<Block> queue, byte seed) {
        try {
            for (byte n = seed; !over; n++) {
                byte[] bytes = new byte[4096];
                Arrays.fill(bytes, n);
                queue.put(new Block(bytes, digest(bytes)));
            }
        } catch (Exception e) {
            wrong.incrementAndGet();
        }
    }

    static void check(SynchronousQueue<Block> queue) {
        try {
            for (;;) {
                Block block = queue.take();
                checked.incrementAndGet();
                if (!Arrays.equals(digest(block.bytes), block.digest))
                    wrong.incrementAndGet();
            }
        } catch (Exception e) {
            wrong.incrementAndGet();
        }
    }

    public static void main(String[] args) {
        SynchronousQueue<Block> queue = new SynchronousQueue<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            over = true;
            System.out.println(wrong.get() == 0 && checked.get() > 0 ? "all right" : wrong + " wrong of " + checked);
        }));
        for (int i = 0; i < 4; i++) {
            byte seed = (byte) i;
            new Thread(() -> make(queue, seed)).start();
            Thread checker = new Thread(() -> check(queue));
            checker.setDaemon(true);
            checker.start();
        }
        System.out.println("ready");
    }
}
