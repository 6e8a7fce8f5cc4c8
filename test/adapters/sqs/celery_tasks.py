"""A task for workers of Celery, whose broker is a server as SQS: SQS_BROKER has its url."""
import os

from celery import Celery

app = Celery("celery_tasks", broker=os.environ["SQS_BROKER"])
app.conf.broker_transport_options = {
    "region": "eu-central-1",
    "is_secure": False,
    "polling_interval": 0.1,
    "wait_time_seconds": 1,
}
app.conf.worker_redirect_stdouts = False


@app.task
def add(a, b):
    print("sum %d" % (a + b), flush=True)
